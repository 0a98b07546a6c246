#include "generator/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include "base/log/format.h"

namespace generator {
namespace {

using std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(20);  // how often to see whether the child has ended

std::string words_for(int error) {
  return std::generic_category().message(error);
}

/// A child process, killed and waited for if it is still there in the end.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (status_) return;
    kill(pid_, SIGKILL);
    wait(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool has_ended() { return wait(WNOHANG); }

  /// Once it has ended: why that was no success.
  std::string failure() const {
    if (WIFSIGNALED(*status_)) return base::format("ended by signal {}", WTERMSIG(*status_));
    return WEXITSTATUS(*status_) == 0 ? "" : base::format("exit code {}", WEXITSTATUS(*status_));
  }

 private:
  bool wait(int options) {
    int status = 0;
    pid_t ended = 0;
    while (!status_ && (ended = waitpid(pid_, &status, options)) == -1 && errno == EINTR) {
    }
    if (ended == pid_) status_ = status;
    return status_.has_value();
  }

  const pid_t pid_;
  std::optional<int> status_;
};

/// Reads what is there without waiting. False at the end of the stream.
bool read_some(int descriptor, std::string& output) {
  std::array<char, 4096> bytes{};
  while (true) {
    const ssize_t count = read(descriptor, bytes.data(), bytes.size());
    if (count > 0) {
      output.append(bytes.data(), static_cast<std::size_t>(count));
      return true;
    }
    if (count == 0 || errno != EINTR) return count < 0 && errno == EAGAIN;
  }
}

/// Follows a child to its end or to a limit. A grandchild may keep the pipe open long after, so the end of the child
/// counts, not that of the stream.
std::string follow(Child& child, int descriptor, const ProcessLimits& limits, std::string& output) {
  const auto deadline = steady_clock::now() + limits.time;
  bool is_open = true;
  while (true) {
    const bool has_ended = child.has_ended();  // asked before reading, so that nothing written before the end is missed
    pollfd readable{is_open ? descriptor : -1, POLLIN, 0};
    const int wait = has_ended ? 0 : static_cast<int>(kLook.count());
    const bool has_more = poll(&readable, 1, wait) > 0;
    if (has_more) is_open = read_some(descriptor, output);
    if (output.size() > limits.output) return base::format("more than {} bytes of output", limits.output);
    if (has_ended && !has_more) return child.failure();
    if (steady_clock::now() >= deadline) {
      return base::format("no answer in {} s", std::chrono::duration<double>(limits.time).count());
    }
  }
}

/// posix_spawn() with standard output into a pipe and nothing else connected; an errno if it fails.
int spawn(const std::vector<std::string>& argv, int output, pid_t& pid) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int error = posix_spawn(&pid, argv.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const ProcessLimits& limits) {
  ProcessResult result;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {"", "no pipe (" + words_for(errno) + ")"};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  pid_t pid = 0;
  const int error = spawn(argv, ends[1], pid);
  close(ends[1]);
  if (error != 0) {
    result.failure = "cannot be started (" + words_for(error) + ")";
  } else {
    Child child(pid);
    result.failure = follow(child, ends[0], limits, result.output);
  }
  close(ends[0]);
  return result;
}

}  // namespace generator
