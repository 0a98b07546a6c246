#include "base/torch.h"

#include "base/callbacks/histograms.h"

namespace base {

void HistogramsSettings::declare(Knobs& knobs) {
  knobs.add("every_steps", every_steps, "steps between histograms", {.min = 1});
  knobs.add("gradients", gradients, "of the gradients too");
}

void Histograms::on_gradients(const TrainState& state, TrainControl& control) {
  if ((state.step + 1) % settings_.every_steps != 0) return;
  for (const auto& item : model_->named_parameters()) {
    control.summary->histogram("weights/" + item.key(), item.value(), state.step + 1);
    if (settings_.gradients && item.value().grad().defined())
      control.summary->histogram("gradients/" + item.key(), item.value().grad(), state.step + 1);
  }
}

}  // namespace base
