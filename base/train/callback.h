// callback.h: what may be done beside the training, and when.
//
//     on_begin                        once, before the first step or after a checkpoint was restored
//     +- on_epoch_begin               also when a restored run goes on in the middle of an epoch
//     |  +- on_iteration_begin        a batch is there
//     |  |    forward, backward
//     |  +- on_gradients              after every `accumulate` batches, before the step of the optimizer
//     |  +- on_iteration_end          the loss is known
//     |  |  process                   the data of the batch, for callbacks that need some: see below
//     |  |    then, if due or asked for: validation, checkpoint
//     |  on_epoch_end                 the results of training are complete
//     |    then, if due or asked for: validation, checkpoint
//     on_end                          once, however the run came to its end, but for an error
//
//     validation:                     on_validation_begin
//                                     +- on_iteration_begin, on_iteration_end, process    in the mode kEval
//                                     add_results         figures of one's own, beside those of the model
//                                     on_validation_end   the results are complete; not after a stop in the middle
//     checkpoint:                     the state is copied, on_checkpoint, and it is written meanwhile
//     predict:                        on_begin
//                                     +- on_iteration_begin, on_iteration_end, process    in the mode kInfer
//                                     on_end
//
// Every callback gets the events of training. Those of a prediction, the batches of a validation, and process()
// anywhere are for callbacks that say so in runs_in().
//
// Data flow from one callback to the next: each names the keys that it needs and those that it makes, and they are
// called in an order in which what is needed was made before. To begin with there are the tensors of the batch, what
// the network gave, the loss in training, and what postprocess() makes of it where that is needed.
#ifndef BASE_TRAIN_CALLBACK_H_
#define BASE_TRAIN_CALLBACK_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics/metric.h"
#include "base/model/model.h"
#include "base/summary/summary_writer.h"
#include "base/tensor/state.h"

namespace base {

/// How far a run is. A callback reads it and never changes it.
struct TrainState {
  Model::Mode mode = Model::Mode::kTrain;
  std::int64_t epoch = 0;      // epochs completed, which is the number of the current one from 0
  std::int64_t step = 0;       // changes of the weights so far
  std::int64_t iteration = 0;  // batches so far: of the epoch, of the validation or of the prediction
  std::optional<std::int64_t> iterations_per_epoch;  // not known for data of unknown size before their first end
  std::optional<std::int64_t> iterations_to_train;   // of this epoch: fewer if the run ends by steps before it does
  std::optional<std::int64_t> total_steps;           // of the whole run, if it is known
  std::int64_t summary_step = 0;  // for curves: the step; in validation its batches count up to the step they end at
  double loss = 0;                // of the last batch; on a GPU, of the last one that was logged
  double learning_rate = 0;       // of the last step
  double seconds = 0;             // of training, before a restart too
  double batch_seconds = 0;       // that the last batch took, without reading it and without callbacks
  bool is_last = false;           // the last batch of a validation or prediction; never in training
  std::vector<std::int64_t> indices;  // the examples of the batch, in the loader's own numbers; see process()
  Results training;                   // of the epoch so far, brought up to date every log_every steps
  Results validation;                 // of the last validation
  std::filesystem::path run;          // the run's folder; empty if it has none
  std::filesystem::path log_dir;      // in it: train/, validation/ or predict/, as the mode is; empty if there is none
};

/// What a callback may do: ask for something, which is done after the event in the order validation, checkpoint, stop;
/// and write to TensorBoard's files of the mode, which without a run folder go nowhere. Who stops a run may have no
/// time for a validation: one that is due then waits, also in the checkpoint, until the run goes on.
struct TrainControl {
  bool validate = false;
  bool save = false;
  std::string stop = {};             // why; empty: go on
  SummaryWriter* summary = nullptr;  // never null in an event
};

/// Override what is needed. Events come in the order in which callbacks were added, but for those that hand data to one
/// another, and all from the training thread. Whatever one must remember goes into checkpoints by save_state() and
/// load_state().
class Callback : public Stateful {
 public:
  /// In lower case, with underscores: how settings and messages call it, and the key of its state in a checkpoint.
  virtual std::string name() const = 0;

  /// Where several processes train together, callbacks are called in the first one, with the data of all; this says
  /// that it is called in the others too, with the data of each.
  virtual bool runs_everywhere() const { return false; }

  /// Whether it looks at the batches of this mode.
  virtual bool runs_in(Model::Mode mode) const { return mode == Model::Mode::kTrain; }
  /// Keys without which it is not called, keys that it takes if they are there, and keys that it makes.
  virtual std::vector<std::string> needs() const { return {}; }
  virtual std::vector<std::string> wants() const { return {}; }
  virtual std::vector<std::string> makes() const { return {}; }
  /// Gets the tensors that it needs and wants, and returns those that it makes. Nothing: those who need them are not
  /// called for this batch. Called only if it has any keys.
  virtual std::optional<Tensors> process(const Tensors& /*data*/, const TrainState& /*state*/,
                                         TrainControl& /*control*/) {
    return Tensors{};
  }
  /// Whether it has figures for add_results().
  virtual bool has_results() const { return false; }
  /// Adds figures to those of a validation, after its last batch: they are logged, scored and kept like the model's
  /// own.
  virtual void add_results(const TrainState& /*state*/, Results& /*results*/) {}

  virtual void on_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_epoch_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_iteration_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_gradients(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_iteration_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_epoch_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_validation_begin(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_validation_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_checkpoint(const TrainState& /*state*/, TrainControl& /*control*/) {}
  virtual void on_end(const TrainState& /*state*/, TrainControl& /*control*/) {}
};

}  // namespace base

#endif  // BASE_TRAIN_CALLBACK_H_
