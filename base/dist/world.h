// world.h: which of how many processes this is.
#ifndef BASE_DIST_WORLD_H_
#define BASE_DIST_WORLD_H_

#include <string>

#include "base/dist/environment.h"
#include "base/log/log.h"

namespace base {

/// The processes that train one model together. A program that was started alone is a world of one.
struct World {
  int rank = 0;  // of this process, from 0 to size - 1
  int size = 1;
  int local_rank = 0;  // among the processes of this machine: which of its GPUs is this one's
  int local_size = 1;
  std::string master_address = "127.0.0.1";  // where the first process is met
  int master_port = 0;
  bool agent_store = false;   // torchrun serves that port itself: the first process is a client as all others are
  int listen_fd = -1;         // a socket that listens there already, inherited by the first process from launch()
  int restarts = 0;           // how often the processes were started before
  std::string launch = {};    // of launch(): a name for their run, the same after each of these starts
  std::string launcher = {};  // "torchrun" (or launch()), "Slurm", "Open MPI", "Kubeflow", "Vertex AI", "SkyPilot"

  /// One process writes files and speaks; the others keep quiet.
  bool is_first() const { return rank == 0; }
  /// So does its log: warnings and errors alone, but from the first.
  log::Options log_options() const;

  /// What the launcher says, of several the most explicit one: a torchrun or mpirun inside of a Slurm job counts, not
  /// Slurm. One that contradicts itself, or leaves a piece out, is an Error of the distributed kind.
  /// docs/distributed.md has the variables.
  static World from_environment(const Environment& environment);
  static World from_environment() { return from_environment(process_environment()); }
};

}  // namespace base

#endif  // BASE_DIST_WORLD_H_
