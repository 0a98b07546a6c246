#include "base/torch.h"

#include "base/callbacks/console_log.h"

#include "base/log/log.h"

namespace base {
void ConsoleLog::on_begin(const TrainState& state, TrainControl& /*control*/) {
  last_step_ = state.step;
}

void ConsoleLog::on_iteration_end(const TrainState& state, TrainControl& /*control*/) {
  if (state.step == last_step_ || (state.step % options_.every_steps != 0 && state.step != 1)) return;
  last_step_ = state.step;
  log::info("step {}  loss {:.4f}  learning rate {:.3g}", state.step, state.loss, state.learning_rate);
}

void ConsoleLog::on_epoch_end(const TrainState& state, TrainControl& /*control*/) {
  log::info("epoch {} trained  {}", state.epoch, describe(state.training));
}

void ConsoleLog::on_validation_end(const TrainState& state, TrainControl& /*control*/) {
  log::info("validation at step {}  {}", state.step, describe(state.validation));
}

}  // namespace base
