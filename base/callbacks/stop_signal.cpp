#include "base/torch.h"

#include "base/callbacks/stop_signal.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "base/log/format.h"

namespace base {
namespace {

/// SIGHUP: the terminal is gone; SIGUSR1: how Slurm warns of the end of a job's time.
constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};

/// systemd and Slurm signal a launcher and its ranks, and the launcher passes it on: within this time it is one wish.
constexpr std::int64_t kOneWish = 2'000'000'000;  // ns

// All that a handler may touch.
std::atomic<int> signal_received = 0;
std::array<std::atomic<std::int64_t>, NSIG> first_at{};  // by number, on the clock that nobody sets
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

void note_signal(int number) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * 1'000'000'000 + time.tv_nsec;
  std::int64_t first = 0;
  if (first_at[static_cast<std::size_t>(number)].compare_exchange_strong(first, now)) {
    signal_received = number;
  } else if (now - first > kOneWish) {  // somebody has lost patience
    signal(number, SIG_DFL);
    raise(number);
  }
}

}  // namespace

StopSignal::StopSignal() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : kSignals) {
    struct sigaction before = {};
    // One that is ignored stays so: a shell starts background jobs deaf to Ctrl-C, nohup to SIGHUP.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (const int number : kSignals) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == note_signal) signal(number, SIG_DFL);
  }
}

void StopSignal::on_iteration_end(const TrainState& /*state*/, TrainControl& control) {
  const int number = signal_received;
  if (number == 0) return;
  control.save = true;
  control.stop = number == SIGINT ? "Ctrl-C received" : format("SIG{} received", sigabbrev_np(number));
}

bool StopSignal::received() {
  return signal_received != 0;
}

}  // namespace base
