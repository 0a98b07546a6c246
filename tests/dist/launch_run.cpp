#include "tests/dist/launch_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>

namespace base {

LaunchRun::LaunchRun(const std::string& script, int terminal) : terminal_(terminal) {
  const auto file = folder_.write("rank", "#!/bin/bash\n" + script);
  chmod(file.c_str(), 0755);
}

LaunchRun::~LaunchRun() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (errors_ >= 0) close(errors_);
}

void LaunchRun::make_pipe(const std::string& name) const {
  mkfifo((folder_ / name).c_str(), 0600);
}

std::string LaunchRun::line_from(const std::string& name) const {
  std::ifstream stream(folder_ / name);
  std::string line;
  std::getline(stream, line);
  return line;
}

int LaunchRun::open_pipe(const std::string& name) const {
  return open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC);
}

void LaunchRun::wait_for_end_of(int pipe) const {
  std::array<char, 256> bytes{};
  while (read(pipe, bytes.data(), bytes.size()) > 0) {
  }
  close(pipe);
}

void LaunchRun::release(const std::string& name) const {
  std::ofstream(folder_ / name) << "go\n";
}

void LaunchRun::start(const std::vector<std::string>& flags, const Environment& more) {
  std::vector<std::string> arguments{LAUNCH_RANKS};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  if (std::ranges::find(flags, "--") == flags.end()) arguments.insert(arguments.end(), {"--", "./rank"});
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  Environment environment = process_environment();
  environment.erase("OMP_NUM_THREADS");
  for (const auto& [name, value] : more) environment[name] = value;
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + '=' + value);
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);

  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ == 0) {
    const int output = open((folder_ / "stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(terminal_ >= 0 ? terminal_ : output, 1);
    dup2(terminal_ >= 0 ? terminal_ : ends[1], 2);
    close_range(3, ~0u, 0);  // what the test was started with is not of interest
    if (chdir(folder_.path().c_str()) != 0) _exit(126);
    execve(argv.front(), argv.data(), envp.data());
    _exit(127);
  }
  close(ends[1]);
  if (errors_ >= 0) close(errors_);
  errors_ = ends[0];
  read_.clear();
}

void LaunchRun::send(int signal) const {
  kill(pid_, signal);
}

void LaunchRun::put_to_sleep() const {
  send(SIGSTOP);
  waitpid(pid_, nullptr, WUNTRACED);
}

void LaunchRun::let_end(const std::string& end, const std::string& pid) const {
  pollfd event{static_cast<int>(syscall(SYS_pidfd_open, std::stoi(pid), 0)), POLLIN, 0};
  if (event.fd < 0) throw std::runtime_error("this kernel does not tell of the end of processes");
  release(end);
  poll(&event, 1, -1);
  close(event.fd);
}

void LaunchRun::hang_up() {
  close(errors_);
  errors_ = -1;
}

void LaunchRun::wait_for(const std::string& text) {
  std::array<char, 4096> bytes{};
  while (read_.find(text) == std::string::npos) {
    const ssize_t count = read(errors_, bytes.data(), bytes.size());
    if (count <= 0) throw std::runtime_error("it ended without saying " + text + ", but " + read_);
    read_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

int LaunchRun::wait() {
  std::array<char, 4096> bytes{};
  ssize_t count = 0;
  while ((count = read(errors_, bytes.data(), bytes.size())) > 0) {
    read_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string LaunchRun::errors() const {
  return std::regex_replace(read_, std::regex("(^|\n)[0-9]{2}:[0-9]{2}:[0-9]{2} "), "$1");
}

std::vector<std::string> LaunchRun::error_lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(errors());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

}  // namespace base
