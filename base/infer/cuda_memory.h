// cuda_memory.h: what a GPU works with: a stream of work, memory on it, memory it can reach, and work that was
// recorded. Each belongs to the GPU that was current when it was made, and is freed with the object.
#ifndef BASE_INFER_CUDA_MEMORY_H_
#define BASE_INFER_CUDA_MEMORY_H_

#include <cstddef>
#include <functional>

struct CUstream_st;  // CUDA's own names: what cudaStream_t and cudaGraphExec_t point to
struct CUgraphExec_st;

namespace base {

/// Work in the order in which it is given, beside the work of other streams.
class CudaStream {
 public:
  CudaStream();
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  CUstream_st* get() const { return stream_; }
  /// Returns when all work that was given is done.
  void synchronize() const;

 private:
  CUstream_st* stream_ = nullptr;
};

/// Memory of the GPU. It grows when it must, and then holds nothing of what was in it.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;

  void reserve(std::size_t bytes);
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Memory of the machine that stays where it is, so that the GPU copies from and to it by itself. It grows likewise.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  ~PinnedBuffer();
  PinnedBuffer(PinnedBuffer&& other) noexcept;
  PinnedBuffer& operator=(PinnedBuffer&&) = delete;

  void reserve(std::size_t bytes);
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

void copy_to_device(void* to, const void* from, std::size_t bytes, const CudaStream& stream);
void copy_to_host(void* to, const void* from, std::size_t bytes, const CudaStream& stream);

/// Work of a stream, recorded once: to start it again costs one call instead of one for each kernel.
class CudaGraph {
 public:
  CudaGraph() = default;
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  /// Records what `work` gives to the stream, none of which is done yet. False if it does something that cannot be
  /// recorded; the stream can be used as before then.
  bool record(const CudaStream& stream, const std::function<void()>& work);
  void launch(const CudaStream& stream) const;
  void clear();
  bool empty() const { return graph_ == nullptr; }

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace base

#endif  // BASE_INFER_CUDA_MEMORY_H_
