#include "base/torch.h"

#include "base/callbacks/stop_signal.h"

#include <signal.h>

#include <atomic>

#include "base/log/format.h"

namespace base {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGINT, SIGUSR1};  // the last is how Slurm warns of the end of a job's time

std::atomic<int> signal_received = 0;  // all that a handler may touch
static_assert(std::atomic<int>::is_always_lock_free);

void note_signal(int number) {
  signal_received = number;
}

}  // namespace

StopSignal::StopSignal() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // the second one is not ours
  for (const int number : kSignals) {
    struct sigaction before = {};
    // One that is ignored stays so: a shell starts background jobs deaf to Ctrl-C.
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
  control.stop = format("{} received", number == SIGINT ? "Ctrl-C" : number == SIGTERM ? "SIGTERM" : "SIGUSR1");
}

bool StopSignal::received() {
  return signal_received != 0;
}

}  // namespace base
