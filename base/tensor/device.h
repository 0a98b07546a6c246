// device.h: where tensors live and how LibTorch computes there, for the whole process.
#ifndef BASE_TENSOR_DEVICE_H_
#define BASE_TENSOR_DEVICE_H_

#include <cstdint>
#include <string>

#include "base/tensor/state.h"

namespace base {

/// "cpu", "cuda", "cuda:1", or "auto": a GPU if there is one, else the CPU. A GPU that is not there, or a LibTorch
/// without CUDA, is a device Error. Where the name has no number, `gpu` says which: a machine's processes take one
/// each.
torch::Device choose_device(const std::string& name, int gpu = 0);

/// The process may take this part of the GPU's memory at most, from 0 to 1. Without effect on the CPU.
void limit_gpu_memory(torch::Device device, double fraction);

/// Threads for the work inside one operation; 0: as many as the machine has cores.
void set_compute_threads(int threads);

/// Numbers too small for a normal float become 0 on the CPU, in this thread and in those that compute for it. The
/// moments of Adam are full of them, and each takes a hundred times as long as another number.
void flush_denormals();

/// Memory that tensors give back stays with the process. Every step needs as much again, and taking it from the system
/// (a page fault for each 4 kB) costs a small network a fifth of its time.
void keep_freed_memory();

/// Seeds LibTorch's generators on all devices, from which weights and dropout are drawn.
void seed_everything(std::uint64_t seed);

/// Only operations that give the same bits every time; one that cannot is an error then.
void set_deterministic(bool deterministic);

/// The generators of the CPU and of `device`: what is drawn next is the same after load_random_state.
void save_random_state(torch::Device device, State& state);
void load_random_state(torch::Device device, const State& state);

/// What is drawn during its life does not change what is drawn after it.
class KeepRandomState {
 public:
  explicit KeepRandomState(torch::Device device) : device_(device) { save_random_state(device, state_); }
  ~KeepRandomState() { load_random_state(device_, state_); }
  KeepRandomState(const KeepRandomState&) = delete;
  KeepRandomState& operator=(const KeepRandomState&) = delete;

 private:
  torch::Device device_;
  State state_;
};

}  // namespace base

#endif  // BASE_TENSOR_DEVICE_H_
