// speed.h: how fast a run is.
#ifndef BASE_CALLBACKS_SPEED_H_
#define BASE_CALLBACKS_SPEED_H_

#include <chrono>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct SpeedSettings {
  std::int64_t every_steps = 100;

  void declare(Knobs& knobs);
};

/// Steps a second, and the part of the time that was spent waiting for data and in callbacks, as curves; the mean of
/// the whole run in the log at its end.
class Speed final : public Callback {
 public:
  explicit Speed(const SpeedSettings& settings) : settings_(settings) {}

  std::string name() const override { return "speed"; }
  void on_begin(const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;
  void on_validation_end(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;

 private:
  using Clock = std::chrono::steady_clock;
  void restart(std::int64_t step);

  SpeedSettings settings_;
  Clock::time_point since_;
  std::int64_t since_step_ = 0;
  double busy_ = 0;  // seconds in the network since then
  std::int64_t steps_ = 0;
  double seconds_ = 0;  // in which they were made, without validations
};

}  // namespace base

#endif  // BASE_CALLBACKS_SPEED_H_
