#include "base/dist/rank_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/dist/descriptor.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base::dist {
namespace {

[[noreturn]] void refuse_program(const std::string& name, int error) {
  throw Error(ErrorKind::kUsage, "the program cannot be started",
              format("{} ({})", name, std::generic_category().message(error)),
              "give the path of a program, as in launch_ranks --ranks 2 -- ./train");
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// What the child does after fork(), where no memory may be allocated; an errno if it fails.
int become_rank(const RankStart& start, pid_t launcher, char* const* arguments, char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) return ESRCH;  // it ended before it could be asked to take this one along
  setpgid(0, 0);
  // A group in the background may then write to any terminal, even to one with `stty tostop`.
  static_cast<void>(signal(SIGTTOU, SIG_IGN));
  sigprocmask(SIG_SETMASK, &start.signals, nullptr);
  if (dup2(start.input, 0) < 0 || dup2(start.output, 1) < 0 || dup2(start.error, 2) < 0) return errno;
  if (start.kept >= 0 && fcntl(start.kept, F_SETFD, 0) != 0) return errno;
  execve(start.program.c_str(), arguments, environment);
  return errno;
}

}  // namespace

std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = (folder.empty() ? "." : folder) + '/' + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  refuse_program(name, ENOENT);
}

int RankEnd::code() const {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool RankEnd::is_by_signal() const {
  return WIFSIGNALED(status);
}

std::string RankEnd::words() const {
  if (!is_by_signal()) return format("ended with exit code {}", code());
  const char* name = sigabbrev_np(WTERMSIG(status));
  return name != nullptr ? format("was ended by SIG{}", name) : format("was ended by signal {}", WTERMSIG(status));
}

RankProcess::RankProcess(const RankStart& start) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : start.environment) variables.push_back(format("{}={}", name, value));
  const std::vector<char*> arguments = pointers_to(start.command);
  const std::vector<char*> environment = pointers_to(variables);
  std::array<int, 2> ends{};  // execve() closes it; what comes through before is why it failed
  const pid_t launcher = getpid();
  if (pipe2(ends.data(), O_CLOEXEC) != 0 || (pid_ = fork()) < 0) {
    throw Error(ErrorKind::kDevice, "no process can be started", std::generic_category().message(errno),
                "start fewer ranks, or see ulimit -a");
  }
  if (pid_ == 0) {
    const int error = become_rank(start, launcher, arguments.data(), environment.data());
    _exit(write(ends[1], &error, sizeof(error)) == sizeof(error) ? 127 : 126);
  }
  close(ends[1]);
  const Descriptor reason(ends[0]);
  int error = 0;
  ssize_t count = 0;
  while ((count = read(reason.number(), &error, sizeof(error))) < 0 && errno == EINTR) {
  }
  if (count != sizeof(error)) return;
  waitpid(pid_, nullptr, 0);
  refuse_program(start.command.front(), error);
}

RankProcess::RankProcess(RankProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)), end_(other.end_) {}

RankProcess::~RankProcess() {
  if (!is_running()) return;
  kill();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

const std::optional<RankEnd>& RankProcess::end() {
  int status = 0;
  if (is_running() && waitpid(pid_, &status, WNOHANG) == pid_) end_ = RankEnd{status};
  return end_;
}

void RankProcess::send(int signal) const {
  if (is_running()) ::kill(pid_, signal);
}

void RankProcess::kill() const {
  if (is_running()) ::kill(-pid_, SIGKILL);
}

}  // namespace base::dist
