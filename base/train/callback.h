// callback.h: what may be done beside the training, and when.
//
//     on_begin                        once, before the first step or after a checkpoint was restored
//     +- on_epoch_begin               also when a restored run goes on in the middle of an epoch
//     |  +- on_iteration_begin        a batch is there
//     |  |    forward, backward, and a step of the optimizer after every `accumulate` batches
//     |  +- on_iteration_end          the loss is known
//     |  |    then, if due or asked for: validation, checkpoint
//     |  on_epoch_end                 the results of training are complete
//     |    then, if due or asked for: validation, checkpoint
//     on_end                          once, however the run came to its end, but for an error
//
//     validation:                     on_validation_begin, the batches, on_validation_end with the results
//     checkpoint:                     the state is copied, on_checkpoint, and it is written meanwhile
//
#ifndef BASE_TRAIN_CALLBACK_H_
#define BASE_TRAIN_CALLBACK_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/metrics/metric.h"
#include "base/tensor/state.h"

namespace base {

/// How far a run is. A callback reads it and never changes it.
struct TrainState {
  std::int64_t epoch = 0;                            // epochs completed, which is the number of the current one from 0
  std::int64_t step = 0;                             // changes of the weights so far
  std::int64_t iteration = 0;                        // batches of the epoch so far
  std::optional<std::int64_t> iterations_per_epoch;  // not known for data of unknown size before their first end
  std::optional<std::int64_t> iterations_to_train;   // of this epoch: fewer if the run ends by steps before it does
  std::optional<std::int64_t> total_steps;           // of the whole run, if it is known
  double loss = 0;                                   // of the last batch; on a GPU, of the last one that was logged
  double learning_rate = 0;                          // of the last step
  double seconds = 0;                                // of training, before a restart too
  Results training;                                  // of the epoch so far, brought up to date every log_every steps
  Results validation;                                // of the last validation
  std::filesystem::path run;                         // the run's folder; empty if it has none
};

/// What a callback may ask for. It is done after the event, in the order validation, checkpoint, stop.
struct TrainControl {
  bool validate = false;
  bool save = false;
  std::string stop;  // why; empty: go on
};

/// Override what is needed. Callbacks are called in the order in which they were added, all from the training thread.
/// Whatever one must remember goes into checkpoints by save_state() and load_state().
class Callback : public Stateful {
 public:
  /// In lower case, with underscores: the key of its state in a checkpoint.
  virtual std::string name() const = 0;

  virtual void on_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_epoch_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_iteration_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_iteration_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_epoch_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_validation_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_validation_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_checkpoint(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
};

}  // namespace base

#endif  // BASE_TRAIN_CALLBACK_H_
