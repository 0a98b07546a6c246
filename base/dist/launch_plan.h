// launch_plan.h: what launch() is going to start. Internal to base/dist.
#ifndef BASE_DIST_LAUNCH_PLAN_H_
#define BASE_DIST_LAUNCH_PLAN_H_

#include <filesystem>
#include <string>

#include "base/dist/environment.h"
#include "base/dist/launcher.h"
#include "base/dist/nodes.h"

namespace base::dist {

/// The machine as far as it matters to a launch; tests make up their own.
struct Machine {
  int processors = 1;                                       // that this process may use
  std::filesystem::path gpus = "/proc/driver/nvidia/gpus";  // has an entry for each of them

  static Machine of_process();
};

/// The options, checked against the machine and what the platform says of others.
struct LaunchPlan {
  Nodes nodes = {};
  int ranks = 1;            // on this machine
  Environment shared = {};  // the variables that are the same for all of them, and through restarts

  int first_rank() const { return nodes.rank * ranks; }
  int size() const { return nodes.count * ranks; }
  bool is_one_machine() const { return nodes.count == 1; }
};

/// Options that do not fit together are an Error of the usage kind, GPUs that are not there one of the device kind.
LaunchPlan plan_launch(const LaunchOptions& options, const Environment& environment, const Machine& machine);

/// What differs from start to start.
struct RankPlace {
  int local_rank = 0;
  int restarts = 0;
  int port = 0;        // 0: the one that the platform names
  int listen_fd = -1;  // of the first rank
};
Environment rank_environment(const LaunchPlan& plan, const RankPlace& place);

}  // namespace base::dist

#endif  // BASE_DIST_LAUNCH_PLAN_H_
