#include "base/torch.h"

#include "base/callbacks/epoch_progress.h"

#include "base/log/format.h"

namespace base {

void EpochProgress::on_epoch_begin(const TrainState& state, TrainControl& /*control*/) {
  bar_ = std::make_unique<ProgressBar>(ProgressBar::Options{.label = format("epoch {}", state.epoch + 1),
                                                            .total = state.iterations_to_train,
                                                            .done = state.iteration,
                                                            .console = console_});
}

void EpochProgress::on_iteration_end(const TrainState& state, TrainControl& /*control*/) {
  if (state.mode != Model::Mode::kTrain) return advance_pass(state);
  if (bar_) bar_->advance(1, format("loss {:.4f}", state.loss));
}

void EpochProgress::advance_pass(const TrainState& state) {
  if (!pass_bar_) {
    pass_bar_ = std::make_unique<ProgressBar>(
        ProgressBar::Options{.label = state.mode == Model::Mode::kEval ? "measuring" : "predicting",
                             .total = state.iterations_per_epoch,
                             .console = console_});
  }
  pass_bar_->advance();
  if (!state.is_last) return;
  pass_bar_->drop();
  pass_bar_.reset();
}

void EpochProgress::on_epoch_end(const TrainState& /*state*/, TrainControl& /*control*/) {
  if (bar_) bar_->finish();
  bar_.reset();
}

void EpochProgress::on_end(const TrainState& state, TrainControl& control) {
  on_epoch_end(state, control);
  if (pass_bar_) pass_bar_->drop();  // a stop may come before the pass is over
  pass_bar_.reset();
}

}  // namespace base
