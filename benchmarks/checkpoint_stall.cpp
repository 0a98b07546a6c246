// checkpoint_stall.cpp: how long a training waits for a checkpoint of 100 M parameters, and how long it takes to write
// it.
//
//     cmake --build build/release --target checkpoint_stall
//     build/release/benchmarks/checkpoint_stall [folder, on the disk to measure]
#include "base/torch.h"

#include "base/checkpoint/checkpoint_store.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"

namespace {

struct Time {
  double wall;  // milliseconds
  double cpu;   // of all threads: on a busy machine it tells more
};

Time time_of(const auto& run) {
  const auto cpu = [] {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
  };
  const double cpu_before = cpu();
  const auto before = std::chrono::steady_clock::now();
  run();
  return {std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count(),
          cpu() - cpu_before};
}

// A transformer's worth of tensors: 100 M numbers in 48 matrices and as many vectors.
void add_tensors(base::State& state) {
  for (int layer = 0; layer < 48; ++layer) {
    state.set(base::format("layer{}.weight", layer), torch::rand({2048, 1017}));
    state.set(base::format("layer{}.bias", layer), torch::rand({2048}));
  }
}

// Returns the ratio in percent.
double save(base::CheckpointStore& store, base::Checkpoint& checkpoint, const char* how) {
  ++checkpoint.step;
  const Time stall = time_of([&] { store.save(checkpoint); });
  const Time write = time_of([&] { store.wait(); });
  const double ratio = 100 * stall.wall / write.wall;
  std::printf("  %-10s  stall %7.1f ms (cpu %6.1f)   write %7.1f ms (cpu %6.1f)   ratio %6.1f %%\n", how, stall.wall,
              stall.cpu, write.wall, write.cpu, ratio);
  std::fflush(stdout);
  return ratio;
}

void measure(const std::filesystem::path& folder, const char* what, base::Checkpoint checkpoint) {
  double bytes = 0;
  for (const auto& [part, state] : checkpoint.parts)
    for (const auto& [name, tensor] : state.tensors()) bytes += static_cast<double>(tensor.nbytes());
  std::printf("%s: %.0f MB, %d threads\n", what, bytes / 1e6, torch::get_num_threads());
  {
    base::CheckpointStore store(folder, {.keep_last = 1, .keep_best = 0});
    save(store, checkpoint, "unprepared");
  }
  base::CheckpointStore store(folder, {.keep_last = 1, .keep_best = 0});
  store.prepare(checkpoint);  // as the Trainer does behind its first steps
  store.wait();
  std::vector<double> ratios;
  for (int i = 0; i < 9; ++i) ratios.push_back(save(store, checkpoint, i == 0 ? "first" : "later"));
  std::ranges::sort(ratios);
  std::printf("  median of the first and the later ones: %.1f %%\n", ratios[ratios.size() / 2]);
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
