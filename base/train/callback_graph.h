// callback_graph.h: the callbacks of a trainer, in an order in which each comes after those whose keys it needs.
#ifndef BASE_TRAIN_CALLBACK_GRAPH_H_
#define BASE_TRAIN_CALLBACK_GRAPH_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/train/callback.h"

namespace base {

/// Calls them, measures how long each takes, and names the one that throws.
class CallbackGraph {
 public:
  /// What happens to a callback that throws: the run ends with its error, or goes on without it.
  enum class OnError { kStop, kDisable };

  void set_on_error(OnError on_error) { on_error_ = on_error; }
  void add(std::unique_ptr<Callback> callback);

  struct Event {
    std::string_view name;  // for messages
    void (Callback::*call)(const TrainState&, TrainControl&);
    bool is_of_batch = false;  // in a validation only for callbacks that run there; in a prediction all events are
  };
  /// Sorts first if a callback was added: a config Error names those that wait for each other, or that make the same
  /// key.
  void fire(const Event& event, const TrainState& state, TrainControl& control);

  /// Whether anyone takes part in the data flow of this mode, and whether anyone needs a key that `data` lacks and no
  /// callback makes.
  bool takes_data(Model::Mode mode) const;
  bool lacks_keys(Model::Mode mode, const Tensors& data) const;
  /// Hands the data through. A key that nobody makes is a config Error with the ones that there are.
  void process(Tensors data, const TrainState& state, TrainControl& control);
  bool has_results() const;
  void add_results(const TrainState& state, Results& results);

  /// States under "callback-NAME".
  template <typename Visitor>
  void visit(Visitor visitor) const {
    for (const Entry& entry : entries_) visitor(*entry.callback);
  }

  /// How long each took since this was last asked, the slowest first.
  struct Time {
    std::string name;
    double seconds = 0;
    bool is_disabled = false;
  };
  std::vector<Time> take_times();

 private:
  struct Entry {
    std::unique_ptr<Callback> callback;
    std::string name;
    std::vector<std::string> needs, wants, makes;
    bool modes[3] = {};
    double seconds = 0;
    bool is_disabled = false;

    bool has_keys() const { return !needs.empty() || !wants.empty() || !makes.empty(); }
    bool runs_in(Model::Mode mode) const { return !is_disabled && modes[static_cast<std::size_t>(mode)]; }
  };

  void sort();
  const Entry* maker_of(std::string_view key) const;
  void process(Entry& entry, Tensors& data, const TrainState& state, TrainControl& control);
  using Clock = std::chrono::steady_clock;
  /// Counts the time since `start`, and sets it to the end: what comes next starts there.
  template <typename Call>
  void guard(Entry& entry, std::string_view event, const TrainState& state, Clock::time_point& start, Call call);
  [[noreturn]] void refuse_key(const Entry& entry, const std::string& key, const Tensors& data) const;

  std::vector<Entry> entries_;
  OnError on_error_ = OnError::kStop;
  bool is_sorted_ = true;
};

namespace events {

inline constexpr CallbackGraph::Event kBegin{"on_begin", &Callback::on_begin};
inline constexpr CallbackGraph::Event kEpochBegin{"on_epoch_begin", &Callback::on_epoch_begin};
inline constexpr CallbackGraph::Event kIterationBegin{"on_iteration_begin", &Callback::on_iteration_begin, true};
inline constexpr CallbackGraph::Event kGradients{"on_gradients", &Callback::on_gradients};
inline constexpr CallbackGraph::Event kIterationEnd{"on_iteration_end", &Callback::on_iteration_end, true};
inline constexpr CallbackGraph::Event kEpochEnd{"on_epoch_end", &Callback::on_epoch_end};
inline constexpr CallbackGraph::Event kValidationBegin{"on_validation_begin", &Callback::on_validation_begin};
inline constexpr CallbackGraph::Event kValidationEnd{"on_validation_end", &Callback::on_validation_end};
inline constexpr CallbackGraph::Event kCheckpoint{"on_checkpoint", &Callback::on_checkpoint};
inline constexpr CallbackGraph::Event kEnd{"on_end", &Callback::on_end};

}  // namespace events

}  // namespace base

#endif  // BASE_TRAIN_CALLBACK_GRAPH_H_
