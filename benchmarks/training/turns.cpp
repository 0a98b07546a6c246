// Trains a few steps for every byte that comes from a pipe, and prints the seconds that they took: so two programs can
// take turns, and what slows the machine down for a while slows down both.
#include <base/torch.h>  // first, since it is precompiled

#include <base/callbacks/callback_settings.h>
#include <base/config/settings.h>
#include <base/log/error.h>
#include <base/log/format.h>

#include <chrono>
#include <fstream>
#include <iostream>

#include "benchmarks/training/work.h"

namespace {

struct Settings : benchmarks::Work {
  std::int64_t steps = 10;
  std::filesystem::path pipe;

  void declare(base::Knobs& knobs) {
    Work::declare(knobs);
    knobs.add("steps", steps, "in a turn", {.min = 1});
    knobs.add("pipe", pipe, "a byte from here is a turn, its end the end");
  }
};

int take_turns(Settings settings) {
  settings.epochs = 1'000'000;  // the pipe says when it is enough
  auto trainer = make_trainer(settings);
  base::CallbackSettings callbacks;
  callbacks.exporter.every = 0;
  base::add_callbacks(*trainer, callbacks);
  const auto run = base::RunFolder::choose(trainer->group(), {}, std::filesystem::temp_directory_path(), "turns");
  trainer->set_run(run);

  std::ifstream pipe(settings.pipe);
  while (pipe.get() != std::ifstream::traits_type::eof()) {
    const auto start = std::chrono::steady_clock::now();
    trainer->train(settings.steps);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    std::cout << base::format("{}", passed.count()) << std::endl;
  }
  trainer.reset();  // which may still be saving
  std::filesystem::remove_all(run.path());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    return base::load_settings(settings, argc, argv, {.description = "Trains in turns."}) ? take_turns(settings) : 0;
  });
}
