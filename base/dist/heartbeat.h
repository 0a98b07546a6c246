// heartbeat.h: which of the others are alive. LibTorch says of a failure which call it was in, seldom whose fault it
// is.
#ifndef BASE_DIST_HEARTBEAT_H_
#define BASE_DIST_HEARTBEAT_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "base/dist/world.h"

namespace base {

/// Counts up a number in the store, once a second, from a thread and over a connection of its own.
class Heartbeat {
 public:
  Heartbeat(const World& world, const c10::intrusive_ptr<c10d::Store>& store);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// "rank 1 is", "ranks 1, 3 are", or "rank 0, which keeps the store, is"; empty if all go on. Looks for three
  /// seconds.
  std::string missing();

 private:
  void beat();
  std::vector<std::int64_t> counts();

  World world_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace base

#endif  // BASE_DIST_HEARTBEAT_H_
