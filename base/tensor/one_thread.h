// one_thread.h: operations that stay in the thread that calls them.
#ifndef BASE_TENSOR_ONE_THREAD_H_
#define BASE_TENSOR_ONE_THREAD_H_

namespace base {

/// While it lives, the operations that this thread calls are not spread over others; those of other threads are as
/// before. For work that is spread already, and for work so small that waking another thread takes longer.
///
/// at::set_num_threads() would speak for the whole process and throw away oneDNN's cache, so OpenMP and MKL themselves
/// are asked. They are looked up because they are LibTorch's own, which nothing else links to; in a build without them
/// nothing is changed.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int openmp_before_;
  int mkl_before_;
};

}  // namespace base

#endif  // BASE_TENSOR_ONE_THREAD_H_
