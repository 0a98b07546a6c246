// heartbeat.h: which of the others are alive. LibTorch says of a failure which call it was in, seldom whose fault it
// is.
#ifndef BASE_DIST_HEARTBEAT_H_
#define BASE_DIST_HEARTBEAT_H_

#include <memory>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "base/dist/world.h"

namespace base {

/// Counts up a number in the store, once a second, and looks at those of the others when somebody asks: from a thread
/// and over a connection of its own, which a cut network may hold up for long; nobody else ever waits for it.
class Heartbeat {
 public:
  /// Puts the first number there: to be called before the others are told that this process has come.
  static void announce(const World& world, c10d::Store& store);

  /// When all have announced themselves.
  Heartbeat(const World& world, const c10::intrusive_ptr<c10d::Store>& store);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// "rank 1 is", "ranks 1, 3 are", or "rank 0 at ADDRESS, which keeps the store, is"; empty if all go on. Waits for
  /// five beats.
  std::string missing() const;

 private:
  class Thread;
  std::shared_ptr<Thread> thread_;  // shared with the thread itself, which may outlive this object
};

}  // namespace base

#endif  // BASE_DIST_HEARTBEAT_H_
