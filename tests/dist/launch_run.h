// launch_run.h: launch_ranks as a test runs it, with a script in the place of a training.
#ifndef TESTS_DIST_LAUNCH_RUN_H_
#define TESTS_DIST_LAUNCH_RUN_H_

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/dist/environment.h"
#include "tests/support/temporary_folder.h"

namespace base {

/// A folder of its own, in which a bash script is started as ranks. Nothing here waits for a time: a test and its
/// scripts meet at named pipes.
class LaunchRun {
 public:
  /// Standard error goes to `terminal` if there is one, and is kept otherwise.
  explicit LaunchRun(const std::string& script, int terminal = -1);
  ~LaunchRun();
  LaunchRun(const LaunchRun&) = delete;
  LaunchRun& operator=(const LaunchRun&) = delete;

  const TemporaryFolder& folder() const { return folder_; }
  /// A named pipe for the script, which runs in the same folder.
  void make_pipe(const std::string& name) const;
  /// The next line that somebody writes to it.
  std::string line_from(const std::string& name) const;
  /// Waits until all who hold the pipe open have ended.
  void wait_for_end_of(int pipe) const;
  int open_pipe(const std::string& name) const;
  void release(const std::string& name) const;

  /// Without waiting for the end of it.
  void start(const std::vector<std::string>& flags, const Environment& more = {});
  void send(int signal) const;
  /// Lets the launcher sleep until wake(), while ranks end one after the other.
  void put_to_sleep() const;
  void wake() const { send(SIGCONT); }
  /// Releases `end` and waits until the process `pid` has ended.
  void let_end(const std::string& end, const std::string& pid) const;
  /// Nobody reads its standard error any more.
  void hang_up();
  /// Reads standard error until it has this text.
  void wait_for(const std::string& text);
  /// The exit code, as a shell has it.
  int wait();
  int run(const std::vector<std::string>& flags, const Environment& more = {}) {
    start(flags, more);
    return wait();
  }

  std::string output() const { return folder_.read("stdout"); }
  /// Without the times of the log.
  std::string errors() const;
  /// The lines of errors(), sorted: those of several ranks come in any order.
  std::vector<std::string> error_lines() const;

 private:
  TemporaryFolder folder_;
  int terminal_;
  int errors_ = -1;
  std::string read_;
  pid_t pid_ = -1;
};

}  // namespace base

#endif  // TESTS_DIST_LAUNCH_RUN_H_
