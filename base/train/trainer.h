// trainer.h: trains a Model on what a DataLoader reads. Everything at once:
//
//     trainer.run();
//
// or step by step, with the author in control after each call:
//
//     trainer.train().validate();
//     trainer.save_checkpoint();
//
#ifndef BASE_TRAIN_TRAINER_H_
#define BASE_TRAIN_TRAINER_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/checkpoint/checkpoint_store.h"
#include "base/config/settings.h"
#include "base/data/batch_stream.h"
#include "base/dist/gradient_sync.h"
#include "base/dist/process_group.h"
#include "base/model/model.h"
#include "base/train/callback.h"
#include "base/train/callback_graph.h"
#include "base/train/gradient.h"
#include "base/train/optimizer.h"
#include "base/train/predictions.h"
#include "base/train/run_folder.h"
#include "base/train/schedule.h"
#include "base/train/train_settings.h"
#include "base/train/weight_average.h"

namespace base {

/// An author derives from it to override the hooks; all of them have a default that works.
class Trainer {
 public:
  /// Without `validation` there is none. Without `group` it is that of this process: those that were started together
  /// train together.
  Trainer(const TrainSettings& settings, std::shared_ptr<Model> model, std::shared_ptr<const DataLoader> training,
          std::shared_ptr<const DataLoader> validation = {}, std::shared_ptr<ProcessGroup> group = {});
  virtual ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Where checkpoints go; without one, none can be saved. Apart from the constructor, so that settings or data that
  /// are wrong leave no empty folder behind.
  Trainer& set_run(RunFolder run);
  /// Nobody else trains in that folder from now on; an Error if somebody does. Training does it too, but a program that
  /// writes to the folder before that asks first.
  Trainer& claim_run();

  /// Trains, validates and saves until epochs, steps or time are used up, or a callback says stop.
  Trainer& run();
  /// Trains to the end of the epoch, or of the run if that comes first.
  Trainer& train();
  /// Trains for so many steps, across epochs if need be.
  Trainer& train(std::int64_t steps);
  /// Goes through the validation data; the results are in state().validation.
  Trainer& validate();
  /// Saves the state as it is now: copied at once, written by a thread of its own.
  Trainer& save_checkpoint();
  /// Goes on from a checkpoint of the run folder: "latest", "best", "step-400" or a path. False if there is none.
  bool restore(const std::string& which = "latest");

  /// The figures for other data, measured as in validation.
  Results evaluate(const DataLoader& data);
  /// The answers for all of `data`, a batch at a time, made when they are asked for. The loader and the trainer must
  /// outlive them.
  Predictions predict(const DataLoader& data);
  /// The answer to one batch of inputs, by name.
  Tensors predict(const Tensors& inputs);
  /// Calls `use` with the model as it is served: in the mode kInfer and, if the settings ask for them, with averaged
  /// weights.
  void serve(const std::function<void(Model&)>& use);

  /// Called from now on; returns the trainer, for more.
  Trainer& add(std::unique_ptr<Callback> callback);
  /// Whether a callback that fails ends the run, which is the default, or is switched off.
  void set_on_callback_error(CallbackGraph::OnError on_error) { callbacks_.set_on_error(on_error); }

  const TrainState& state() const { return state_; }
  const TrainSettings& settings() const { return settings_; }
  Model& model() { return *model_; }
  const std::shared_ptr<Model>& shared_model() const { return model_; }
  const DataLoader& training_data() const { return *training_; }
  torch::Device device() const { return device_; }
  ProcessGroup& group() { return *group_; }
  const World& world() const { return group_->world(); }
  /// Epochs, steps or time are used up, or a callback said stop.
  bool is_finished() const;

 protected:
  // The hooks. `batch` is on the device already.

  /// The loss of one batch. What the network gave goes to `outputs`, from where it is measured.
  virtual torch::Tensor training_step(const Tensors& batch, Tensors& outputs);
  /// Adds one batch of validation to the metrics, and returns what the network gave.
  virtual Tensors validation_step(const Tensors& batch, Metrics& metrics);
  /// Which parameters move alike. By default: all in one group.
  virtual std::vector<ParameterGroup> parameter_groups();

 private:
  friend class Predictions;

  // loop.cpp: what happens in training, from top to bottom.
  void begin();
  void rehearse_validation();
  void end();
  void train_until(std::int64_t last_step, bool stop_at_epoch_end);
  void check(const DataLoader& data, const Batch& batch) const;
  void warn_of_other_types(const Tensors& batch) const;
  Tensors train_batch(const Batch& batch, std::int64_t examples_of_all);
  void update_weights();
  void settle();
  void fire(const CallbackGraph::Event& event);
  void smoke();
  Results measure(const DataLoader& data, const DataSettings& settings, bool with_callbacks);
  void note_loss(const torch::Tensor& loss, double share, std::int64_t examples, const Tensors& outputs,
                 const Tensors& batch);
  void end_epoch();
  Results training_results();
  void warn_of_nothing_left() const;
  void log_callback_times();

  // trainer.cpp: how it is set up, saved and restored.
  void prepare();
  void enter(Model::Mode mode, TrainState& state, TrainControl& control);
  Tensors data_for_callbacks(Model::Mode mode, const Tensors& batch, const Tensors& outputs);
  Tensors to_device(const Tensors& batch) const;
  DataSettings validation_data_settings() const;
  std::optional<double> score() const;
  Checkpoint checkpoint();
  CheckpointStore& store();
  void load(const Checkpoint& checkpoint);
  std::unique_ptr<WeightAverage::Swap> swap_in_average();

  // together.cpp: what the processes of a world do together; nothing in a world of one.
  void check_same_work();
  void agree();
  std::int64_t examples_of_all(const DataLoader& data, const BatchStream& stream, std::int64_t taken_before,
                               const std::optional<Batch>& batch);
  void share_gradients();
  torch::Tensor loss_of_all(const torch::Tensor& loss, double share);
  Tensors stand_in();
  Tensors data_of_all(const DataLoader& loader, const Tensors& data, std::vector<std::int64_t>& indices,
                      bool has_examples);
  State totals_of_all(const Metrics& metrics);
  Results results_of_first(const Results& results);
  std::optional<Checkpoint> checkpoint_of_first(std::optional<Checkpoint> checkpoint);

  TrainSettings settings_;
  std::shared_ptr<Model> model_;
  std::shared_ptr<const DataLoader> training_;
  std::shared_ptr<const DataLoader> validation_;
  std::optional<RunFolder> run_;
  torch::Device device_;
  std::shared_ptr<ProcessGroup> group_;
  bool channels_last_ = false;
  bool small_steps_ = false;  // one thread is faster at them than several

  std::unique_ptr<Optimizer> optimizer_;  // made when first needed, since the hooks say how
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<GradientSync> sync_;      // in a world of several
  std::unique_ptr<GradientScaler> scaler_;  // with fp16
  std::unique_ptr<WeightAverage> average_;  // if the settings ask for it
  std::unique_ptr<CheckpointStore> store_;
  CallbackGraph callbacks_;                 // but for a few, those of the first process only
  std::array<SummaryWriter, 3> summaries_;  // by mode

  TrainState state_;
  TrainControl control_;
  Metrics metrics_;                // of the epoch so far
  bool metrics_restored_ = false;  // from a checkpoint, and no batch has been measured since
  double loss_sum_ = 0;            // of its examples
  std::int64_t loss_count_ = 0;
  Cursor cursor_;                      // after the last batch whose gradients are in the weights
  std::optional<BatchStream> stream_;  // of the epoch that is under way
  std::int64_t accumulated_ = 0;       // batches whose gradients wait for the next step
  double accumulated_weight_ = 0;      // of these, a full one being 1
  std::int64_t validated_at_ = -1;     // step of the last validation
  double seconds_before_ = 0;          // of training, before this train() or before a restart
  double agreed_seconds_ = 0;          // of training, by the clock of the first process
  std::chrono::steady_clock::time_point started_;
  bool begun_ = false;
  bool types_compared_ = false;  // of the data and of the model's example
  bool takes_data_ = false;      // a callback of the first process sees the batches of training
};

/// The trainer of a run, from its folder alone: its settings, and the checkpoint. T has a type Settings and is made
/// from a const Settings&.
template <typename T>
std::unique_ptr<T> restore_run(const std::filesystem::path& folder, const std::string& which = "latest") {
  const RunFolder run = RunFolder::open(folder);
  typename T::Settings settings;
  static_cast<void>(
      load_settings(settings, std::vector<std::string>{}, {.file = run.config(), .environment_prefix = ""}));
  auto trainer = std::make_unique<T>(settings);
  trainer->set_run(run);
  if (!trainer->restore(which)) RunFolder::refuse_without_checkpoint(run);
  return trainer;
}

}  // namespace base

#endif  // BASE_TRAIN_TRAINER_H_
