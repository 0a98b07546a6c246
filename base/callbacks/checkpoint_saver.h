// checkpoint_saver.h: asks for checkpoints.
#ifndef BASE_CALLBACKS_CHECKPOINT_SAVER_H_
#define BASE_CALLBACKS_CHECKPOINT_SAVER_H_

#include "base/train/callback.h"
#include "base/train/train_settings.h"

namespace base {

/// By steps, by epochs, by time, and at the end of the run; none for a run without a folder.
class CheckpointSaver final : public Callback {
 public:
  explicit CheckpointSaver(const CheckpointSettings& settings) : settings_(settings) {}

  std::string name() const override { return "checkpoint_saver"; }
  void on_begin(const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;
  void on_epoch_end(const TrainState& state, TrainControl& control) override;
  void on_checkpoint(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;

 private:
  CheckpointSettings settings_;
  std::int64_t asked_at_ = 0;  // step; so that the batches of one step ask once
  std::int64_t saved_at_ = -1;
  double saved_seconds_ = 0;
};

}  // namespace base

#endif  // BASE_CALLBACKS_CHECKPOINT_SAVER_H_
