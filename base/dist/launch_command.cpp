#include "base/dist/launch_command.h"

#include <algorithm>
#include <chrono>

#include "base/config/settings.h"
#include "base/dist/launcher.h"
#include "base/log/format.h"

namespace base {
namespace {

struct LaunchSettings {
  LaunchOptions launch{.logs = "runlogs"};

  void declare(Knobs& knobs) {
    knobs.add("ranks", launch.ranks,
              "how many to start here; 0: one for each of the GPUs, else what the platform says");
    knobs.add("gpus", launch.gpus, "numbers of the GPUs to use, one for each rank; none: all are visible");
    knobs.add("max_restarts", launch.max_restarts, "how often all ranks are started again after one has failed");
    knobs.add("logs", launch.logs, "folder for what each rank prints (rank-0.out, ...) and for its process id");
    knobs.add("threads", launch.threads, "of each rank; 0: OMP_NUM_THREADS, else an equal share of the processors");
    knobs.add("grace", launch.grace, "after SIGTERM, SIGHUP or Ctrl-C, before ranks that still run are killed",
              {.min = std::chrono::milliseconds(0), .max = std::chrono::hours(24)});
  }
};

}  // namespace

int run_launch_command(const std::vector<std::string>& arguments, const std::string& program,
                       const std::string& description, std::vector<std::string> command) {
  const auto dashes = std::ranges::find(arguments, "--");
  LaunchSettings settings;
  // Variables such as SCAFFOLD_SET_EPOCHS are meant for what is started.
  const auto origins =
      load_settings(settings, std::vector<std::string>(arguments.begin(), dashes),
                    {.environment_prefix = "",
                     .program = program,
                     .description = description,
                     .other_flags = format("flags of what is started go behind --, as in `{} --ranks 2 "
                                           "-- {}--KNOB VALUE` (--help lists those of the launcher)",
                                           program, command.empty() ? "PROGRAM " : "")});
  if (!origins) return 0;
  command.insert(command.end(), dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  return launch(command, settings.launch);
}

}  // namespace base
