#include "base/dist/signal_queue.h"

#include <sys/signalfd.h>

namespace base::dist {

SignalQueue::SignalQueue(std::initializer_list<int> signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : signals) sigaddset(&mask, number);
  sigprocmask(SIG_BLOCK, &mask, &mask_before_);
  // Where SIGCHLD is ignored, which is inherited, children vanish without telling how they ended.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &children_before_);
  queue_ = Descriptor(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalQueue::~SignalQueue() {
  while (next()) {  // what came too late must not end the process now
  }
  sigaction(SIGCHLD, &children_before_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

std::optional<SignalQueue::Signal> SignalQueue::next() {
  signalfd_siginfo info{};
  if (read(queue_.number(), &info, sizeof(info)) != sizeof(info)) return std::nullopt;
  return Signal{static_cast<int>(info.ssi_signo), static_cast<pid_t>(info.ssi_pid)};
}

}  // namespace base::dist
