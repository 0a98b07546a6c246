// launch_ranks: starts a program as several ranks of one world, on this machine or on each of several.
//
//     launch_ranks --ranks 4 -- build/release/demo train
//     launch_ranks --gpus 0,1 --max_restarts 3 --logs runs/a/runlogs -- build/release/demo train --epochs 10
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/config/settings.h"
#include "base/dist/launcher.h"
#include "base/log/error.h"

namespace {

struct Settings {
  base::LaunchOptions launch{.logs = "runlogs"};

  void declare(base::Knobs& knobs) {
    knobs.add("ranks", launch.ranks,
              "how many to start here; 0: one for each of the GPUs, else what the platform says");
    knobs.add("gpus", launch.gpus, "numbers of the GPUs to use, one for each rank; none: all are visible");
    knobs.add("max_restarts", launch.max_restarts, "how often all ranks are started again after one has failed");
    knobs.add("logs", launch.logs, "folder for what each rank prints (rank-0.out, ...) and for its process id");
    knobs.add("threads", launch.threads, "of each rank; 0: OMP_NUM_THREADS, else an equal share of the processors");
    knobs.add("grace", launch.grace, "after SIGTERM or Ctrl-C, before ranks that still run are killed",
              {.min = std::chrono::milliseconds(0), .max = std::chrono::hours(24)});
  }
};

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::vector<std::string> all(argv + 1, argv + argc);
    const auto dashes = std::ranges::find(all, "--");
    Settings settings;
    // Variables such as SCAFFOLD_SET_EPOCHS are meant for the program.
    const auto origins = base::load_settings(
        settings, std::vector<std::string>(all.begin(), dashes),
        {.environment_prefix = "",
         .program = "launch_ranks",
         .description = "Starts a program as several ranks: launch_ranks --ranks 4 -- PROGRAM ARGUMENT..."});
    if (!origins) return 0;
    return base::launch({dashes == all.end() ? dashes : dashes + 1, all.end()}, settings.launch);
  });
}
