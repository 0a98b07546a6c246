// nodes.h: the machines of a job, as platforms tell of them that know nothing of processes.
#ifndef BASE_DIST_NODES_H_
#define BASE_DIST_NODES_H_

#include <string>

#include "base/dist/environment.h"

namespace base {

/// Kubeflow, Vertex AI and SkyPilot start one container or script on every machine. What runs there may be the program
/// itself, or the launcher that starts several of it.
struct Nodes {
  int count = 1;
  int rank = 0;  // of this machine, from 0 to count - 1
  std::string master_address = "127.0.0.1";
  int master_port = 0;
  int processes_per_node = 0;  // 0: the platform does not say
  std::string platform = {};   // "Kubeflow", "Vertex AI", "SkyPilot"; empty: none of them

  /// One machine if no platform is found. What a platform says and cannot be is an Error of the distributed kind.
  static Nodes from_environment(const Environment& environment);
};

}  // namespace base

#endif  // BASE_DIST_NODES_H_
