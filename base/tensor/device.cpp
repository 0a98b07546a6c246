#include "base/torch.h"

#include "base/tensor/device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/cuda.h>
#ifdef SCAFFOLD_WITH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#endif

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

std::optional<torch::Device> parse_device(const std::string& name) {
  try {
    return torch::Device(name);
  } catch (const c10::Error&) {
    return {};
  }
}

void set_generator_state(torch::Generator generator, const torch::Tensor& state) {
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

torch::Tensor generator_state(torch::Generator generator) {
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

}  // namespace

torch::Device choose_device(const std::string& name, int gpu) {
  if (name == "auto") return torch::cuda::is_available() ? choose_device("cuda", gpu) : torch::Device(torch::kCPU);
  const auto device = parse_device(name);
  if (!device || (!device->is_cpu() && !device->is_cuda()))
    throw Error(ErrorKind::kConfig, "this is not a device", name, "give auto, cpu, cuda or cuda:1");
  if (device->is_cpu()) return torch::kCPU;
  if (!torch::cuda::is_available()) {
    throw Error(ErrorKind::kDevice, "no CUDA GPU can be used", name,
                "use device = \"cpu\", or see `scaffold doctor` for what is missing");
  }
  const torch::DeviceIndex number = device->has_index() ? device->index() : static_cast<torch::DeviceIndex>(gpu);
  if (number >= static_cast<int>(torch::cuda::device_count())) {
    throw Error(ErrorKind::kDevice, "there is no GPU of this number", name,
                format("give one from cuda:0 to cuda:{}", torch::cuda::device_count() - 1));
  }
  return {torch::kCUDA, number};
}

void limit_gpu_memory([[maybe_unused]] torch::Device device, [[maybe_unused]] double fraction) {
#ifdef SCAFFOLD_WITH_CUDA
  if (device.is_cuda()) c10::cuda::CUDACachingAllocator::setMemoryFraction(fraction, device.index());
#endif
}

void set_compute_threads(int threads) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (threads > 0 || std::getenv("OMP_NUM_THREADS") == nullptr) at::set_num_threads(threads > 0 ? threads : cores);
}

void flush_denormals() {
  at::globalContext().setFlushDenormal(true);
  // Threads that compute may have been started before, by whoever read the data: each of them is told too.
  at::parallel_for(0, at::get_num_threads(), 1,
                   [](std::int64_t, std::int64_t) { at::globalContext().setFlushDenormal(true); });
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_MXFAST, 0);  // or whenever a large piece is freed all small ones are looked through
#endif
}

void seed_everything(std::uint64_t seed) {
  torch::manual_seed(seed);
}

void set_deterministic(bool deterministic) {
  auto& context = at::globalContext();
  context.setDeterministicAlgorithms(deterministic, /*warn_only=*/false);
  context.setDeterministicFillUninitializedMemory(false);  // slow, and only for finding reads of memory nobody wrote
  context.setDeterministicCuDNN(deterministic);
  context.setBenchmarkCuDNN(!deterministic);
  // cuBLAS reads it when it is first used, and is not repeatable without it.
  if (deterministic) setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
}

void save_random_state(torch::Device device, State& state) {
  state.set("cpu", generator_state(at::detail::getDefaultCPUGenerator()));
  if (device.is_cuda()) state.set("cuda", generator_state(at::globalContext().defaultGenerator(device)));
}

void load_random_state(torch::Device device, const State& state) {
  set_generator_state(at::detail::getDefaultCPUGenerator(), state.get<torch::Tensor>("cpu"));
  // A run that goes on on a GPU after a CPU cannot be the same to the bit anyway.
  if (device.is_cuda() && state.has("cuda"))
    set_generator_state(at::globalContext().defaultGenerator(device), state.get<torch::Tensor>("cuda"));
}

}  // namespace base
