// Touches everything that training on NVIDIA GPUs needs: LibTorch's CUDA half, cuDNN, NCCL and a kernel of our own.
// Exit code 0: all of it works here; 2: this machine has no GPU.
#include <base/torch.h>  // first, since it is precompiled

#include <ATen/cuda/CUDAContext.h>
#include <base/log/error.h>
#include <base/log/log.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nccl.h>
#include <torch/cuda.h>
#include <unistd.h>

#include <filesystem>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#ifdef SCAFFOLD_HAS_NVCC
#include "add_one.h"
#endif

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw base::Error(base::ErrorKind::kDevice, what, "", "compare the driver's version with the toolkit's");
}

void log_versions() {
  int runtime = 0;
  int nccl = 0;
  cudaRuntimeGetVersion(&runtime);
  ncclGetVersion(&nccl);
  base::log::info("CUDA runtime {}, cuDNN {}, NCCL {}", runtime, cudnnGetVersion(), nccl);
}

void require_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0 && torch::cuda::is_available()) return;
  throw base::Error(base::ErrorKind::kDevice, "no CUDA GPU can be used", cudaGetErrorString(status),
                    "run on a machine with an NVIDIA GPU and its driver (nvidia-smi lists both), or train on the CPU");
}

void convolve() {
  torch::nn::Conv2d convolution(torch::nn::Conv2dOptions(3, 8, 3));
  convolution->to(torch::kCUDA);
  require(torch::cuda::cudnn_is_available(), "cuDNN is not available to LibTorch");
  require(convolution(torch::ones({2, 3, 16, 16}, torch::kCUDA)).isfinite().all().item<bool>(),
          "cuDNN gave no numbers");
}

void all_reduce() {
  const auto path = std::filesystem::temp_directory_path() / base::format("gpu_probe.{}", getpid());
  {
    const auto store = c10::make_intrusive<c10d::FileStore>(path.string(), 1);
    const auto group = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, 0, 1);
    std::vector<torch::Tensor> tensors{torch::full({4}, 3.0, torch::kCUDA)};
    group->allreduce(tensors)->wait();
    require(tensors[0].sum().item<double>() == 12.0, "NCCL's sum over one rank is wrong");
  }
  std::filesystem::remove(path);
}

void add_one_on_gpu() {
#ifdef SCAFFOLD_HAS_NVCC
  const auto numbers = torch::zeros({1000}, torch::kCUDA);
  add_one(numbers.data_ptr<float>(), static_cast<int>(numbers.numel()), at::cuda::getCurrentCUDAStream());
  require(numbers.sum().item<double>() == 1000.0, "a kernel compiled here gives wrong sums");
#else
  base::log::info("no nvcc when this was built: no kernel of our own is tried");
#endif
}

}  // namespace

int main() {
  return base::run_main([] {
    log_versions();
    require_gpu();
    convolve();
    all_reduce();
    add_one_on_gpu();
    base::log::info("{} GPUs, all of it works", torch::cuda::device_count());
    return 0;
  });
}
