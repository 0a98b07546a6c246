// process_group.h: the processes of a World, connected: Gloo between processors, NCCL between GPUs.
#ifndef BASE_DIST_PROCESS_GROUP_H_
#define BASE_DIST_PROCESS_GROUP_H_

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/dist/world.h"
#include "base/tensor/state.h"

namespace c10d {
class ProcessGroup;
}

namespace base {

/// Every function is called by all processes in the same order. In a world of one they do nothing, at no cost. A
/// process that does not come, does not answer or is gone is a distributed Error that names its rank.
///
///     group.sum(totals);                                      // the same totals everywhere
///     const std::string folder = group.from_first(made);      // what the first process has made
class ProcessGroup {
 public:
  struct Options {
    torch::Device device = torch::kCPU;                            // a GPU: its tensors go by NCCL
    std::chrono::milliseconds timeout = std::chrono::minutes(10);  // how long it waits for the others
    int meeting = 0;  // which one of these processes it is: those of one meeting have the same number
  };

  /// Meets the others.
  ProcessGroup(const World& world, const Options& options);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// The processes that were started together with this one, as the environment says. There is one at a time: while
  /// somebody holds it, it is the same.
  static std::shared_ptr<ProcessGroup> of_process(const Options& options);

  const World& world() const { return world_; }
  bool is_alone() const { return world_.size == 1; }

  /// In place: the sum over all processes.
  void sum(torch::Tensor tensor);

  /// Whether it is so in one of them.
  bool any(bool yes);
  /// Whether it is so in the first one.
  bool first_says(bool yes);

  /// In place: what the first process has.
  void copy_from_first(const std::vector<torch::Tensor>& tensors);
  std::string from_first(const std::string& text);
  State from_first(const State& state);

  /// What each has, by rank; for small things.
  std::vector<std::string> gather(const std::string& text);
  std::vector<State> gather(const State& state);

  /// A distributed Error if `text` is not the same everywhere, with the first line in which one differs.
  void check_same(const std::string& what, const std::string& text, const std::string& fix);

  /// For gradient_sync.cpp. Not in a world of one.
  const c10::intrusive_ptr<::c10d::ProcessGroup>& c10d() const;

  /// Turns what LibTorch throws when communication fails into an Error that says who is missing; other exceptions pass.
  template <typename Call>
  auto guarded(Call call) {
    if (is_alone()) return call();
    try {
      return call();
    } catch (const std::exception& error) {
      explain(error);
    }
  }

 private:
  class Connection;
  [[noreturn]] void explain(const std::exception& error);

  World world_;
  std::unique_ptr<Connection> connection_;  // null in a world of one
};

}  // namespace base

#endif  // BASE_DIST_PROCESS_GROUP_H_
