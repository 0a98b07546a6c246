#include "base/dist/launcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/dist/launch_plan.h"
#include "base/dist/rank_group.h"
#include "base/dist/run_name.h"
#include "base/log/console.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

/// A rank that ends so would do it again: its command line or its settings are wrong.
bool is_final(int code) {
  return code == info(ErrorKind::kUsage).exit_code || code == info(ErrorKind::kConfig).exit_code;
}

/// Whoever started this process may have closed these; a pipe of ours with such a number would become a rank's.
void keep_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) == -1) static_cast<void>(open("/dev/null", O_RDWR));  // takes the lowest that is free
  }
}

}  // namespace

int launch(const std::vector<std::string>& command, const LaunchOptions& options) {
  if (command.empty()) {
    throw Error(ErrorKind::kUsage, "no program to start", "", "give one, as in launch_ranks --ranks 2 -- ./train");
  }
  const Environment environment = process_environment();
  dist::LaunchPlan plan = dist::plan_launch(options, environment, dist::Machine::of_process());
  plan.shared["SCAFFOLD_LAUNCH"] = new_run_name();
  const auto path = environment.find("PATH");
  const std::string program = dist::find_program(command.front(), path == environment.end() ? "" : path->second);
  keep_standard_descriptors();

  const bool has_terminal = isatty(STDERR_FILENO) == 1;
  dist::RankOutput output(options.logs, plan.first_rank(), plan.size(), has_terminal && Console::standard().redraws());
  for (int i = 0; i < plan.ranks; ++i) output.open_file(plan.first_rank() + i);
  dist::SignalQueue signals({SIGCHLD, SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGUSR1});
  for (int restarts = 0;; ++restarts) {
    dist::RankGroup group(plan, {program, command, restarts, has_terminal, options.grace}, signals, output);
    const dist::GroupEnd end = group.follow();
    if (!end.failure) return 0;
    const int code = end.failure->code();
    const bool starts_again = restarts < options.max_restarts && !end.was_asked && !is_final(code);
    output.clear_line();
    if (!starts_again) {
      if (code != dist::kStopped) log::error("rank {} {}", end.rank, end.failure->words());
      return code;
    }
    log::warn("rank {} {}; restart {} of {}", end.rank, end.failure->words(), restarts + 1, options.max_restarts);
  }
}

}  // namespace base
