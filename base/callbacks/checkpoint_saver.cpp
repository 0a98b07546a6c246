#include "base/torch.h"

#include "base/callbacks/checkpoint_saver.h"

namespace base {

void CheckpointSaver::on_begin(const TrainState& state, TrainControl& /*control*/) {
  saved_seconds_ = state.seconds;
  if (state.step > 0) asked_at_ = saved_at_ = state.step;  // restored from there
}

void CheckpointSaver::on_iteration_end(const TrainState& state, TrainControl& control) {
  if (state.run.empty() || state.step == asked_at_) return;
  const bool by_steps = settings_.every_steps > 0 && state.step % settings_.every_steps == 0;
  const double seconds = std::chrono::duration<double>(settings_.every).count();
  const bool by_time = seconds > 0 && state.seconds - saved_seconds_ >= seconds;
  if (!by_steps && !by_time) return;
  control.save = true;
  asked_at_ = state.step;
}

void CheckpointSaver::on_epoch_end(const TrainState& state, TrainControl& control) {
  if (!state.run.empty() && settings_.every_epochs > 0 && state.epoch % settings_.every_epochs == 0)
    control.save = true;
}

void CheckpointSaver::on_checkpoint(const TrainState& state, TrainControl& /*control*/) {
  saved_at_ = state.step;
  saved_seconds_ = state.seconds;
}

void CheckpointSaver::on_end(const TrainState& state, TrainControl& control) {
  if (!state.run.empty() && saved_at_ != state.step) control.save = true;
}

}  // namespace base
