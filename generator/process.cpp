#include "generator/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

// How often to see whether the child has ended, where the kernel does not tell.
constexpr auto kLook = std::chrono::milliseconds(20);
constexpr std::size_t kLongestComplaint = std::size_t{1} << 16;

std::string words_for(int error) {
  return std::generic_category().message(error);
}

/// A descriptor, closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close_now(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void close_now() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// A child process, killed and waited for if it is still there in the end.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid), end_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (status_) return;
    kill(pid_, SIGKILL);
    wait(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool has_ended() { return wait(WNOHANG); }

  /// Can be polled for the end; -1 on a kernel before 5.3.
  int end() const { return end_.number(); }

  /// Once it has ended: why that was no success.
  std::string failure() const {
    if (WIFSIGNALED(*status_)) return base::format("ended by signal {}", WTERMSIG(*status_));
    return WEXITSTATUS(*status_) == 0 ? "" : base::format("exit code {}", WEXITSTATUS(*status_));
  }
  int exit_code() const { return status_ && WIFEXITED(*status_) ? WEXITSTATUS(*status_) : -1; }

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
  const Descriptor end_;
  std::optional<int> status_;
};

/// Reads what is there without waiting. False at the end of the stream.
bool read_some(int descriptor, std::string& output) {
  std::array<char, 4096> bytes{};
  while (true) {
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
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
    std::array<pollfd, 2> events{pollfd{is_open ? descriptor : -1, POLLIN, 0}, pollfd{child.end(), POLLIN, 0}};
    const bool is_told = child.end() >= 0;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    const auto wait = has_ended ? std::chrono::milliseconds(0) : is_told ? std::max(left, kLook) : kLook;
    poll(events.data(), events.size(), static_cast<int>(wait.count()));
    const bool has_more = events[0].revents != 0;
    if (has_more) is_open = read_some(descriptor, output);
    if (output.size() > limits.output) return base::format("more than {} bytes of output", limits.output);
    if (has_ended && !has_more) return child.failure();
    if (steady_clock::now() >= deadline) {
      return base::format("no answer in {} s", std::chrono::duration<double>(limits.time).count());
    }
  }
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// posix_spawn() with these descriptors as its standard ones; an errno if it fails.
int spawn(const std::vector<std::string>& argv, const std::optional<std::vector<std::string>>& environment,
          const std::array<int, 3>& descriptors, pid_t& pid) {
  const std::vector<char*> arguments = pointers_to(argv);
  const std::vector<char*> variables = environment ? pointers_to(*environment) : std::vector<char*>{};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions, descriptors[static_cast<std::size_t>(i)], i);
  const int error = posix_spawn(&pid, argv.front().c_str(), &actions, nullptr, arguments.data(),
                                environment ? variables.data() : environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// A file in memory. Unlike a pipe it takes all of the input before anybody reads it, and holds all of a complaint.
int memory_file(const std::string& text) {
  const int file = memfd_create("scaffold", MFD_CLOEXEC);
  for (std::size_t at = 0; file >= 0 && at < text.size();) {
    const ssize_t count = write(file, text.data() + at, text.size() - at);
    if (count <= 0) break;
    at += static_cast<std::size_t>(count);
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

std::string start_of(int file) {
  std::string text(kLongestComplaint, '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const ProcessLimits& limits,
                          const ProcessSetting& setting) {
  ProcessResult result;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {"", "no pipe (" + words_for(errno) + ")"};
  const Descriptor output(ends[0]);
  Descriptor written(ends[1]);
  const Descriptor input(setting.input.empty() ? open("/dev/null", O_RDONLY | O_CLOEXEC) : memory_file(setting.input));
  const Descriptor complaint(memory_file(""));
  fcntl(output.number(), F_SETFL, O_NONBLOCK);
  pid_t pid = 0;
  const int error = spawn(argv, setting.environment, {input.number(), written.number(), complaint.number()}, pid);
  written.close_now();
  if (error != 0) {
    result.failure = "cannot be started (" + words_for(error) + ")";
    return result;
  }
  Child child(pid);
  result.failure = follow(child, output.number(), limits, result.output);
  result.exit_code = child.exit_code();
  result.complaint = start_of(complaint.number());
  return result;
}

}  // namespace generator
