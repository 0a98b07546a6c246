// one_thread.h: operations that stay in the thread that calls them.
#ifndef BASE_TENSOR_ONE_THREAD_H_
#define BASE_TENSOR_ONE_THREAD_H_

namespace base {

/// While it lives, the operations that this thread calls are not spread over others; those of other threads are as
/// before. For work that is spread already, and for work so small that waking another thread takes longer.
///
/// at::set_num_threads() would speak for the whole process and throw away oneDNN's cache, so OpenMP itself is asked. It
/// is looked up because it is LibTorch's own, which nothing else links to; in a build without it nothing is changed.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace base

#endif  // BASE_TENSOR_ONE_THREAD_H_
