#include "base/torch.h"

#include "base/callbacks/early_stopping.h"

#include <cmath>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

void EarlyStoppingSettings::declare(Knobs& knobs) {
  knobs.add("figure", figure, "the figure of validation to watch; empty: the score of the training");
  knobs.add("lower_is_better", lower_is_better, "of this figure, if it is not the score");
  knobs.add("patience", patience, "validations in a row without progress after which the run ends", {.min = 1});
  knobs.add("least_change", least_change, "what counts as progress", {.min = 0.0});
}

void EarlyStopping::on_validation_end(const TrainState& state, TrainControl& control) {
  const double value = result_of(state.validation, settings_.figure);
  if (std::isnan(value)) {
    std::string known;
    for (const auto& [name, figure] : state.validation) known += (known.empty() ? "" : ", ") + name;
    throw Error(ErrorKind::kConfig, "validation has no figure of this name to watch", settings_.figure,
                format("set callbacks.early_stopping.figure to one of {}", known));
  }
  const double gain = settings_.lower_is_better ? best_ - value : value - best_;
  if (std::isnan(best_) || gain > settings_.least_change) {
    best_ = value;
    worse_in_a_row_ = 0;
  } else if (++worse_in_a_row_ >= settings_.patience) {
    control.stop =
        format("{} has not got better than {:.4f} for {} validations", settings_.figure, best_, worse_in_a_row_);
  }
}

void EarlyStopping::save_state(State& state) const {
  state.set("best", best_);
  state.set("worse_in_a_row", worse_in_a_row_);
}

void EarlyStopping::load_state(const State& state) {
  best_ = state.get<double>("best");
  worse_in_a_row_ = state.get<std::int64_t>("worse_in_a_row");
}

}  // namespace base
