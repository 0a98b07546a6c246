// launcher.h: starts a program several times on this machine, as the ranks of one World. No Python is needed.
#ifndef BASE_DIST_LAUNCHER_H_
#define BASE_DIST_LAUNCHER_H_

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace base {

struct LaunchOptions {
  int ranks = 0;                       // on this machine; 0: one for each of `gpus`, else what the platform says
  std::vector<std::string> gpus = {};  // numbers of those to use: the first rank has the first; none: all are visible
  int max_restarts = 0;                // of all ranks, after one has failed
  std::filesystem::path logs = {};     // folder for what each rank prints, and for its process id; empty: none
  int threads = 0;                     // of each rank (OMP_NUM_THREADS); 0: an equal share of the processors
  std::chrono::milliseconds grace =
      std::chrono::seconds(60);  // for ranks that were asked to stop; then they are killed
};

/// Runs a command (a program and its arguments; no shell) as all ranks of this machine, of one World with those of the
/// other machines where a platform tells of several. Returns when all have ended: 0, or the exit code of the first one
/// that failed (128 + the signal that ended it). Then the others are killed, and all are started again if they may be.
///
/// SIGTERM, SIGINT and SIGUSR1 are passed on. The ranks end with this process, whatever ends it. To be called by a
/// program with one thread. docs/distributed.md has the whole of it.
int launch(const std::vector<std::string>& command, const LaunchOptions& options);

}  // namespace base

#endif  // BASE_DIST_LAUNCHER_H_
