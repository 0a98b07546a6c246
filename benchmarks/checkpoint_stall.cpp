// checkpoint_stall.cpp: how long a training waits for a checkpoint of 100 M parameters, and how long it takes to write
// it.
//
//     cmake --build build/release --target checkpoint_stall
//     build/release/benchmarks/checkpoint_stall [folder, on the disk to measure]
#include "base/torch.h"

#include "base/checkpoint/checkpoint_store.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/log/error.h"
#include "base/log/format.h"

namespace {

double seconds_of(const auto& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A transformer's worth of tensors: 100 M numbers in 48 matrices and as many vectors.
void add_tensors(base::State& state) {
  for (int layer = 0; layer < 48; ++layer) {
    state.set(base::format("layer{}.weight", layer), torch::rand({2048, 1017}));
    state.set(base::format("layer{}.bias", layer), torch::rand({2048}));
  }
}

void measure(const std::filesystem::path& folder, const char* what, const base::Checkpoint& first) {
  base::Checkpoint checkpoint = first;
  double bytes = 0;
  for (const auto& [part, state] : checkpoint.parts)
    for (const auto& [name, tensor] : state.tensors()) bytes += static_cast<double>(tensor.nbytes());
  std::printf("%s: %.0f MB\n", what, bytes / 1e6);
  base::CheckpointStore store(folder, {.keep_last = 1, .keep_best = 0});
  for (checkpoint.step = 1; checkpoint.step <= 6; ++checkpoint.step) {
    double stall = 0;
    const double whole = seconds_of([&] {
      stall = seconds_of([&] { store.save(checkpoint); });
      store.wait();
    });
    std::printf("  %s  stall %7.1f ms   write %7.1f ms   ratio %5.1f %%\n", checkpoint.step == 1 ? "cold" : "warm",
                1e3 * stall, 1e3 * (whole - stall), 100 * stall / (whole - stall));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::filesystem::path parent = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
    const std::filesystem::path folder = parent / base::format("checkpoint_stall-{}", ::getpid());
    base::Checkpoint checkpoint;
    add_tensors(checkpoint.parts["model"]);
    measure(folder / "weights", "weights", checkpoint);
    add_tensors(checkpoint.parts["moment1"]);
    add_tensors(checkpoint.parts["moment2"]);
    measure(folder / "adam", "weights and Adam's moments", checkpoint);
    std::filesystem::remove_all(folder);
    return 0;
  });
}
