// early_stopping.h: ends a run that no longer gets better.
#ifndef BASE_CALLBACKS_EARLY_STOPPING_H_
#define BASE_CALLBACKS_EARLY_STOPPING_H_

#include <limits>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct EarlyStoppingSettings {
  std::string figure;  // empty: the score of the training
  bool lower_is_better = true;
  std::int64_t patience = 5;
  double least_change = 0;

  void declare(Knobs& knobs);
};

/// Stops once the figure has not got better for `patience` validations in a row.
class EarlyStopping final : public Callback {
 public:
  explicit EarlyStopping(const EarlyStoppingSettings& settings) : settings_(settings) {}

  std::string name() const override { return "early_stopping"; }
  void on_validation_end(const TrainState& state, TrainControl& control) override;
  void save_state(State& state) const override;
  void load_state(const State& state) override;

 private:
  EarlyStoppingSettings settings_;
  double best_ = std::numeric_limits<double>::quiet_NaN();  // none yet
  std::int64_t worse_in_a_row_ = 0;
};

}  // namespace base

#endif  // BASE_CALLBACKS_EARLY_STOPPING_H_
