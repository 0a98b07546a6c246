// cuda_device.h: the GPU that an engine runs on.
#ifndef BASE_INFER_CUDA_DEVICE_H_
#define BASE_INFER_CUDA_DEVICE_H_

#include <string>

namespace base {

struct CudaDevice {
  int index = 0;
  std::string name;                // "NVIDIA L4"
  std::string compute_capability;  // "8.9"
};

/// Empty if there is a GPU of that number, with its driver; or in words why not.
std::string why_no_cuda_device(int index);

/// Makes the GPU the one of this thread. None of that number, no GPU or no driver is a device Error of one line. Must
/// come before anything of TensorRT: without a GPU it hands out objects that crash when they are used.
CudaDevice open_cuda_device(int index);

/// Makes it the one of this thread; open_cuda_device() has found it.
void use_cuda_device(int index);

/// A backend Error with CUDA's own message if `code` (a cudaError_t) is not success.
void check_cuda(int code, const char* what);

}  // namespace base

#endif  // BASE_INFER_CUDA_DEVICE_H_
