#include "base/torch.h"

#include "base/callbacks/speed.h"

#include "base/log/log.h"

namespace base {

void SpeedSettings::declare(Knobs& knobs) {
  knobs.add("every_steps", every_steps, "steps between the points of the curve", {.min = 1});
}

void Speed::restart(std::int64_t step) {
  since_ = Clock::now();
  since_step_ = step;
  busy_ = 0;
}

void Speed::on_begin(const TrainState& state, TrainControl& /*control*/) {
  restart(state.step);
}

void Speed::on_iteration_end(const TrainState& state, TrainControl& control) {
  busy_ += state.batch_seconds;
  const std::int64_t steps = state.step - since_step_;
  if (steps < settings_.every_steps) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  control.summary->scalar("speed/steps_per_second", static_cast<double>(steps) / seconds, state.summary_step);
  control.summary->scalar("speed/part_in_network", busy_ / seconds, state.summary_step);
  steps_ += steps;
  seconds_ += seconds;
  restart(state.step);
}

void Speed::on_validation_end(const TrainState& state, TrainControl& /*control*/) {
  restart(state.step);  // the time of a validation is not one of training
}

void Speed::on_end(const TrainState& /*state*/, TrainControl& /*control*/) {
  if (steps_ > 0) log::info("{:.1f} steps a second", static_cast<double>(steps_) / seconds_);
}

}  // namespace base
