// rank_group.h: the ranks of a machine, from one start to their end. Internal to base/dist.
#ifndef BASE_DIST_RANK_GROUP_H_
#define BASE_DIST_RANK_GROUP_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/dist/launch_plan.h"
#include "base/dist/rank_output.h"
#include "base/dist/rank_process.h"
#include "base/dist/signal_queue.h"

namespace base::dist {

/// The exit code of a rank that was asked to stop and has saved its state.
inline constexpr int kStopped = 75;

/// How a group ended: with success if nobody failed.
struct GroupEnd {
  int rank = -1;  // the first that failed
  std::optional<RankEnd> failure = {};
  bool was_asked = false;  // to stop
};

class RankGroup {
 public:
  struct Options {
    std::string program;
    std::vector<std::string> command;
    int restarts = 0;
    bool has_terminal = false;  // the first rank has it, instead of a pipe
    std::chrono::milliseconds grace{};
  };

  /// Starts all ranks, or none: what goes wrong is an Error.
  RankGroup(const LaunchPlan& plan, Options options, SignalQueue& signals, RankOutput& output);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  /// Waits until all have ended. A failure of one ends the others, unless they were asked to stop and may be saving.
  GroupEnd follow();

 private:
  using Clock = RankOutput::Clock;

  void start(int local_rank, int port, Descriptor& socket);
  bool is_running() const;
  void wait_for_news() const;
  void answer(int signal);
  void look_for_ends(pid_t pid = 0);  // 0: of all
  void count_failure(int rank, const RankEnd& end);
  void stop_by(Clock::time_point time);
  void kill_all();
  /// Whether the first rank, on its terminal, has told of the same mistake.
  bool first_said_it();

  const LaunchPlan& plan_;
  const Options options_;
  SignalQueue& signals_;
  RankOutput& output_;
  std::vector<RankProcess> ranks_;
  std::vector<bool> ended_;
  GroupEnd end_;
  bool was_signalled_ = false;  // to stop: the next time counts for more
  bool is_killed_ = false;
  std::optional<Clock::time_point> deadline_;  // when those that still run are killed
};

}  // namespace base::dist

#endif  // BASE_DIST_RANK_GROUP_H_
