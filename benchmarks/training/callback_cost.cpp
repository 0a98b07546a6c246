// What the default callbacks cost a step. Two trainers at the same work, one with them and one with none, take short
// turns in one process: whole runs, and even whole epochs, differ from each other by more than what is measured here.
#include <base/torch.h>  // first, since it is precompiled

#include <base/callbacks/callback_settings.h>
#include <base/config/settings.h>
#include <base/log/error.h>
#include <base/log/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

#include "benchmarks/training/work.h"

namespace {

double seconds_of(base::Trainer& trainer, std::int64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  trainer.train(steps);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr std::int64_t kTurns = 25;  // in an epoch

int measure(benchmarks::Work work) {
  const std::int64_t epochs = work.epochs;
  const std::int64_t steps = work.examples / work.batch_size / kTurns;
  work.examples = kTurns * steps * work.batch_size;
  work.epochs = epochs + 1;
  const auto run = base::RunFolder::create(std::filesystem::temp_directory_path(), "callback_cost");
  const auto with_them = make_trainer(work);
  with_them->set_run(run);
  base::add_callbacks(*with_them);
  const auto without = make_trainer(work);
  // Half a turn more than half an epoch to warm up: the epoch then ends within a turn, and so does what is written
  // behind it.
  for (const auto& trainer : {with_them.get(), without.get()}) trainer->train(steps * (kTurns / 2) + steps / 2);

  std::vector<double> added;  // seconds to a step
  std::vector<double> part;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    double theirs = 0;
    double plain = 0;
    for (std::int64_t turn = 0; turn < kTurns; ++turn) {
      const bool plain_first = (epoch + turn) % 2 == 0;
      if (plain_first) plain += seconds_of(*without, steps);
      theirs += seconds_of(*with_them, steps);
      if (!plain_first) plain += seconds_of(*without, steps);
    }
    added.push_back((theirs - plain) / static_cast<double>(kTurns * steps));
    part.push_back(theirs / plain - 1);
  }
  std::filesystem::remove_all(run.path());
  const auto quantile = [](std::vector<double> values, double at) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1))];
  };
  std::cout << base::format(R"({{"microseconds": [{}, {}, {}], "part": [{}, {}, {}], "epochs": {}}})",
                            1e6 * quantile(added, 0.25), 1e6 * quantile(added, 0.5), 1e6 * quantile(added, 0.75),
                            quantile(part, 0.25), quantile(part, 0.5), quantile(part, 0.75), epochs)
            << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    benchmarks::Work work;
    return base::load_settings(work, argc, argv, {.description = "Measures the callbacks."}) ? measure(work) : 0;
  });
}
