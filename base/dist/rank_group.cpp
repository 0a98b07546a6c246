#include "base/dist/rank_group.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base::dist {
namespace {

/// A socket that listens on this machine alone, on a port that nobody else has.
Descriptor listening_socket(int& port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (!socket.is_open() || bind(socket.number(), plain, size) != 0 || listen(socket.number(), SOMAXCONN) != 0 ||
      getsockname(socket.number(), plain, &size) != 0) {
    throw Error(ErrorKind::kDistributed, "no port to meet at", std::generic_category().message(errno),
                "see whether 127.0.0.1 is there: ip address show lo");
  }
  port = ntohs(address.sin_port);
  return socket;
}

}  // namespace

RankGroup::RankGroup(const LaunchPlan& plan, Options options, SignalQueue& signals, RankOutput& output)
    : plan_(plan), options_(std::move(options)), signals_(signals), output_(output) {
  int port = 0;
  Descriptor socket;
  if (plan.is_one_machine()) socket = listening_socket(port);
  ranks_.reserve(static_cast<std::size_t>(plan.ranks));
  for (int local_rank = 0; local_rank < plan.ranks; ++local_rank) start(local_rank, port, socket);
  ended_.resize(ranks_.size());
}

RankGroup::~RankGroup() {
  for (int i = 0; i < plan_.ranks; ++i) {
    std::error_code ignored;
    std::filesystem::remove(output_.file_of(plan_.first_rank() + i, "pid"), ignored);
  }
}

void RankGroup::start(int local_rank, int port, Descriptor& socket) {
  const int rank = plan_.first_rank() + local_rank;
  const bool is_first = local_rank == 0;
  const Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  RankStart start{.program = options_.program,
                  .command = options_.command,
                  .environment = rank_environment(plan_, {.local_rank = local_rank,
                                                          .restarts = options_.restarts,
                                                          .port = port,
                                                          .listen_fd = is_first ? socket.number() : -1}),
                  .input = input.number(),
                  .kept = is_first ? socket.number() : -1,
                  .signals = signals_.mask_before()};
  Descriptor out;
  Descriptor error;
  if (!is_first || !options_.has_terminal) {
    error = output_.open_pipe(rank, STDERR_FILENO);
    // What the first one prints may be what somebody wants to pipe on; of the others both streams keep their order.
    if (is_first) out = output_.open_pipe(rank, STDOUT_FILENO);
    start.error = error.number();
    start.output = is_first ? out.number() : error.number();
  }
  ranks_.emplace_back(start);
  if (const auto file = output_.file_of(rank, "pid"); !file.empty()) std::ofstream(file) << ranks_.back().pid() << '\n';
  if (is_first) socket = Descriptor();  // the port is free again as soon as the first rank has ended
}

GroupEnd RankGroup::follow() {
  while (is_running()) {
    wait_for_news();
    while (const auto signal = signals_.next()) {
      // Others may have ended since, because this one did: it is to be the first.
      if (signal->number == SIGCHLD) look_for_ends(signal->sender);
      answer(signal->number);
    }
    output_.pass_on();
    look_for_ends();
    if (deadline_ && Clock::now() >= *deadline_) {
      output_.clear_line();
      log::warn("the ranks did not stop within {} s and are killed",
                std::chrono::duration<double>(options_.grace).count());
      kill_all();
    }
  }
  output_.finish(!first_said_it());
  return end_;
}

bool RankGroup::is_running() const {
  return std::ranges::any_of(ranks_, &RankProcess::is_running);
}

void RankGroup::wait_for_news() const {
  std::vector<pollfd> events{{signals_.descriptor(), POLLIN, 0}};
  output_.add_to(events);
  std::optional<Clock::time_point> time = output_.next();
  if (deadline_ && (!time || *deadline_ < *time)) time = deadline_;
  using std::chrono::milliseconds;
  const auto wait =
      time ? std::max(std::chrono::ceil<milliseconds>(*time - Clock::now()), milliseconds(0)) : milliseconds(-1);
  poll(events.data(), events.size(), static_cast<int>(wait.count()));
}

void RankGroup::answer(int signal) {
  const bool is_stop = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  if (!is_stop && signal != SIGUSR1) return;
  end_.was_asked = true;
  if (!is_stop) {  // a scheduler's warning, long before the end: how long, only the scheduler knows
    for (const RankProcess& rank : ranks_) rank.send(signal);
    return;
  }
  if (was_signalled_) {
    if (signal == SIGHUP) return;  // nobody's impatience: both the terminal and its shell tell of the end
    output_.clear_line();
    log::warn("asked to stop a second time: the ranks are killed");
    return kill_all();
  }
  was_signalled_ = true;
  output_.clear_line();
  log::info("{}: the ranks are asked to stop", signal == SIGINT ? "Ctrl-C" : format("SIG{}", sigabbrev_np(signal)));
  for (const RankProcess& rank : ranks_) rank.send(signal);
  stop_by(Clock::now() + options_.grace);
}

void RankGroup::look_for_ends(pid_t pid) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (pid > 0 && ranks_[i].pid() != pid) continue;
    if (ended_[i] || !ranks_[i].end()) continue;
    ended_[i] = true;
    if (const RankEnd end = *ranks_[i].end(); end.code() != 0)
      count_failure(plan_.first_rank() + static_cast<int>(i), end);
  }
}

void RankGroup::count_failure(int rank, const RankEnd& end) {
  const bool is_new = !end_.failure;
  const bool has_stopped = end.code() == kStopped;
  // A failure counts for more than a rank that stopped as it should.
  if (is_new || (end_.failure->code() == kStopped && !has_stopped)) {
    end_.rank = rank;
    end_.failure = end;
  }
  if (end_.was_asked || has_stopped) {  // the others may be saving
    end_.was_asked = true;
    stop_by(Clock::now() + options_.grace);
  } else if (is_new) {
    output_.show_only(rank);
    kill_all();
  }
}

void RankGroup::stop_by(Clock::time_point time) {
  if (!deadline_ && !is_killed_) deadline_ = time;
}

void RankGroup::kill_all() {
  is_killed_ = true;
  deadline_.reset();
  for (const RankProcess& rank : ranks_) rank.kill();
}

bool RankGroup::first_said_it() {
  const std::optional<RankEnd>& first = ranks_.front().end();
  return options_.has_terminal && end_.failure && end_.rank != plan_.first_rank() && !end_.failure->is_by_signal() &&
         first && first->status == end_.failure->status;
}

}  // namespace base::dist
