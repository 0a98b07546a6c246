#include "base/infer/cuda_memory.h"

#include <cuda_runtime_api.h>

#include <utility>

#include "base/infer/cuda_device.h"
#include "base/log/error.h"

namespace base {

CudaStream::CudaStream() {
  // Not tied to the default stream, which waits for all others.
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cannot make a CUDA stream");
}

CudaStream::~CudaStream() {
  cudaStreamDestroy(stream_);
}

void CudaStream::synchronize() const {
  check_cuda(cudaStreamSynchronize(stream_), "the GPU failed");
}

DeviceBuffer::~DeviceBuffer() {
  cudaFree(data_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void DeviceBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  cudaFree(std::exchange(data_, nullptr));
  size_ = 0;
  check_cuda(cudaMalloc(&data_, bytes), "cannot get memory on the GPU");
  size_ = bytes;
}

PinnedBuffer::~PinnedBuffer() {
  cudaFreeHost(data_);
}

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void PinnedBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  cudaFreeHost(std::exchange(data_, nullptr));
  size_ = 0;
  void* data = nullptr;
  check_cuda(cudaMallocHost(&data, bytes), "cannot get pinned memory");
  data_ = static_cast<std::byte*>(data);
  size_ = bytes;
}

void copy_to_device(void* to, const void* from, std::size_t bytes, const CudaStream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream.get()), "cannot copy to the GPU");
}

void copy_to_host(void* to, const void* from, std::size_t bytes, const CudaStream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream.get()), "cannot copy from the GPU");
}

CudaGraph::~CudaGraph() {
  clear();
}

void CudaGraph::clear() {
  if (graph_ != nullptr) cudaGraphExecDestroy(std::exchange(graph_, nullptr));
}

bool CudaGraph::record(const CudaStream& stream, const std::function<void()>& work) {
  clear();
  // Of this thread alone: what other threads do with CUDA meanwhile must not spoil the recording.
  check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cannot record a CUDA graph");
  bool is_recorded = true;
  try {
    work();
  } catch (const Error&) {
    is_recorded = false;
  }
  cudaGraph_t recorded = nullptr;
  is_recorded = cudaStreamEndCapture(stream.get(), &recorded) == cudaSuccess && is_recorded && recorded != nullptr;
  if (is_recorded && cudaGraphInstantiate(&graph_, recorded, 0) != cudaSuccess) {
    graph_ = nullptr;
    is_recorded = false;
  }
  if (recorded != nullptr) cudaGraphDestroy(recorded);
  if (!is_recorded) cudaGetLastError();  // takes the failure back, or the next call would report it
  return is_recorded;
}

void CudaGraph::launch(const CudaStream& stream) const {
  check_cuda(cudaGraphLaunch(graph_, stream.get()), "cannot start a CUDA graph");
}

}  // namespace base
