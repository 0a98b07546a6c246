// The Trainer with the callbacks that it has by default, at the work of bare_loop.cpp and with its flags.
#include <base/torch.h>  // first, since it is precompiled

#include <base/callbacks/callback_settings.h>
#include <base/config/settings.h>
#include <base/log/error.h>
#include <base/log/format.h>

#include <chrono>
#include <iostream>

#include "benchmarks/training/work.h"

namespace {

struct Settings : benchmarks::Work {
  std::int64_t warmup = 30;

  void declare(base::Knobs& knobs) {
    Work::declare(knobs);
    knobs.add("warmup", warmup, "steps before the clock starts", {.min = 0});
  }
};

/// Notes when the steps after the warm-up begin.
class Stopwatch final : public base::Callback {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Stopwatch(std::int64_t warmup) : warmup_(warmup) {}
  std::string name() const override { return "stopwatch"; }
  bool runs_everywhere() const override { return true; }
  void on_iteration_end(const base::TrainState& state, base::TrainControl& /*control*/) override {
    if (state.step == warmup_) start = Clock::now();
  }

  Clock::time_point start;

 private:
  std::int64_t warmup_;
};

int measure(const Settings& settings) {
  const auto trainer = make_trainer(settings);
  base::CallbackSettings callbacks;
  callbacks.exporter.every = 0;  // the others leave no export behind either
  base::add_callbacks(*trainer, callbacks);
  auto stopwatch = std::make_unique<Stopwatch>(settings.warmup);
  const Stopwatch& watch = *stopwatch;
  const auto run =
      base::RunFolder::choose(trainer->group(), {}, std::filesystem::temp_directory_path(), "scaffold_loop");
  trainer->add(std::move(stopwatch)).set_run(run).run();
  const auto stop = Stopwatch::Clock::now();  // the last checkpoint is on disk
  if (trainer->world().is_first()) std::filesystem::remove_all(run.path());

  const double seconds = std::chrono::duration<double>(stop - watch.start).count();
  const double rate = static_cast<double>(trainer->state().step - settings.warmup) / seconds;
  std::cout
      << base::format(
             R"({{"name": "scaffold", "work": "{}", "steps_per_second": {}, "samples_per_second": {}, "test_loss": {}}})",
             settings.network, rate, rate * static_cast<double>(settings.batch_size),
             base::result_of(trainer->evaluate(*benchmarks::read(settings.data, "t10k")), "loss"))
      << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    return base::load_settings(settings, argc, argv, {.description = "Measures the Trainer."}) ? measure(settings) : 0;
  });
}
