// rank_process.h: one rank as a child process. Internal to base/dist.
#ifndef BASE_DIST_RANK_PROCESS_H_
#define BASE_DIST_RANK_PROCESS_H_

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/dist/environment.h"

namespace base::dist {

/// The path of a program, looked for in `path` (as $PATH) if its name has no slash. One that is not there is an Error
/// of the usage kind.
std::string find_program(const std::string& name, const std::string& path);

/// What a rank finds when it starts.
struct RankStart {
  std::string program;
  std::vector<std::string> command;  // its own name and its arguments
  Environment environment;
  int input = 0;  // descriptors that become its standard ones
  int output = 1;
  int error = 2;
  int kept = -1;       // one more that it inherits under the same number; all others are closed
  sigset_t signals{};  // the signals that it does not receive
};

/// How a process ended.
struct RankEnd {
  int status = 0;  // as waitpid(2) has it

  /// The exit code; that of shells, 128 + signal, if a signal ended it.
  int code() const;
  bool is_by_signal() const;
  /// "ended with exit code 5", "was ended by SIGKILL".
  std::string words() const;
};

/// Killed in the end, if it still runs. Dies with the process that started it, whatever happens to that one, and is in
/// a process group of its own, so that Ctrl-C at a terminal reaches it once: through its launcher.
class RankProcess {
 public:
  /// A program that cannot be executed is an Error of the usage kind.
  explicit RankProcess(const RankStart& start);
  ~RankProcess();
  RankProcess(RankProcess&& other) noexcept;
  RankProcess& operator=(RankProcess&&) = delete;

  pid_t pid() const { return pid_; }
  bool is_running() const { return pid_ > 0 && !end_; }
  /// Sees whether it has ended by now.
  const std::optional<RankEnd>& end();

  void send(int signal) const;
  /// Ends it and what it started itself.
  void kill() const;

 private:
  pid_t pid_ = -1;
  std::optional<RankEnd> end_;
};

}  // namespace base::dist

#endif  // BASE_DIST_RANK_PROCESS_H_
