#include "base/infer/cuda_device.h"

#include <cuda_runtime_api.h>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

std::string message_of_cuda(cudaError_t code) {
  return format("{} ({})", cudaGetErrorString(code), cudaGetErrorName(code));
}

int attribute_of(int device, cudaDeviceAttr attribute) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "cannot ask the GPU what it is");
  return value;
}

}  // namespace

void check_cuda(int code, const char* what) {
  if (code == cudaSuccess) return;
  const auto error = static_cast<cudaError_t>(code);
  throw Error(ErrorKind::kBackend, what, message_of_cuda(error),
              error == cudaErrorMemoryAllocation ? "free memory of the GPU, or allow smaller shapes"
                                                 : "see nvidia-smi, and dmesg for errors of the driver");
}

void use_cuda_device(int index) {
  check_cuda(cudaSetDevice(index), "cannot use the GPU");
}

std::string why_no_cuda_device(int index) {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess) return "CUDA finds no NVIDIA GPU with its driver: " + message_of_cuda(found);
  if (index < 0 || index >= count) return format("there are {} GPUs, counted from 0, and not number {}", count, index);
  return {};
}

CudaDevice open_cuda_device(int index) {
  if (const std::string reason = why_no_cuda_device(index); !reason.empty()) {
    throw Error(ErrorKind::kDevice, "TensorRT needs a GPU", reason, "");  // in one line, so without a fix
  }
  use_cuda_device(index);
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cannot ask the GPU what it is");
  return {.index = index,
          .name = properties.name,
          .compute_capability = format("{}.{}", attribute_of(index, cudaDevAttrComputeCapabilityMajor),
                                       attribute_of(index, cudaDevAttrComputeCapabilityMinor))};
}

}  // namespace base
