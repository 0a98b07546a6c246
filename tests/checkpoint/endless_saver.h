// endless_saver.h: a run that does nothing but save, until it is killed.
#ifndef TESTS_CHECKPOINT_ENDLESS_SAVER_H_
#define TESTS_CHECKPOINT_ENDLESS_SAVER_H_

#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "base/checkpoint/checkpoint_store.h"
#include "base/torch.h"

namespace base {

/// All of it follows from its step, so that a mix of two is seen.
inline Checkpoint checkpoint_of_step(std::int64_t step, std::int64_t elements = 400'000) {
  Checkpoint checkpoint{.step = step, .score = static_cast<double>(step % 7), .metrics = {{"step", step}}, .parts = {}};
  checkpoint.parts["model"].set("weight", torch::full({elements}, static_cast<double>(step)));
  checkpoint.parts["model"].set("bias", torch::full({3}, step, torch::kLong));
  checkpoint.parts["optimizer"].set("moment", torch::full({elements}, static_cast<double>(-step)));
  checkpoint.parts["optimizer"].set("steps", step);
  return checkpoint;
}

/// Goes on from the latest. Writes the number of each step to the standard output once it is on disk.
[[noreturn]] inline void save_until_killed(const std::filesystem::path& folder) {
  torch::set_num_threads(1);
  CheckpointStore store(folder, {.keep_last = 2, .keep_best = 1});
  const auto latest = store.load("latest");
  std::int64_t step = latest ? latest->step : -1;
  const auto report = [&] {
    if (::write(STDOUT_FILENO, &step, sizeof(step)) != sizeof(step)) ::_exit(1);
  };
  report();
  while (true) {
    store.save(checkpoint_of_step(step + 1));  // returns when the one before is on disk
    report();
    ++step;
  }
}

}  // namespace base

#endif  // TESTS_CHECKPOINT_ENDLESS_SAVER_H_
