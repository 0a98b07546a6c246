// signal_queue.h: signals as events to be read. Internal to base/dist.
#ifndef BASE_DIST_SIGNAL_QUEUE_H_
#define BASE_DIST_SIGNAL_QUEUE_H_

#include <sys/types.h>

#include <csignal>
#include <initializer_list>
#include <optional>

#include "base/dist/descriptor.h"

namespace base::dist {

/// While it lives, these signals do nothing but wait here. One that the process ignores stays ignored. For a program
/// with one thread: another thread would still obey them.
class SignalQueue {
 public:
  explicit SignalQueue(std::initializer_list<int> signals);
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  /// Can be polled for reading.
  int descriptor() const { return queue_.number(); }
  struct Signal {
    int number = 0;
    pid_t sender = 0;  // of SIGCHLD: the child that ended; of several, the first
  };
  /// Takes the next one off, if there is one.
  std::optional<Signal> next();
  /// What a child process has to go back to.
  const sigset_t& mask_before() const { return mask_before_; }

 private:
  sigset_t mask_before_{};
  struct sigaction children_before_ {};
  Descriptor queue_;
};

}  // namespace base::dist

#endif  // BASE_DIST_SIGNAL_QUEUE_H_
