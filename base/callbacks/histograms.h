// histograms.h: how weights and gradients are distributed, for TensorBoard.
#ifndef BASE_CALLBACKS_HISTOGRAMS_H_
#define BASE_CALLBACKS_HISTOGRAMS_H_

#include <memory>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct HistogramsSettings {
  std::int64_t every_steps = 500;
  bool gradients = true;

  void declare(Knobs& knobs);
};

/// weights/NAME and gradients/NAME of every parameter. The gradients are those of the step that was just made.
class Histograms final : public Callback {
 public:
  Histograms(const HistogramsSettings& settings, std::shared_ptr<Model> model)
      : settings_(settings), model_(std::move(model)) {}

  std::string name() const override { return "histograms"; }
  void on_gradients(const TrainState& state, TrainControl& control) override;

 private:
  HistogramsSettings settings_;
  std::shared_ptr<Model> model_;
};

}  // namespace base

#endif  // BASE_CALLBACKS_HISTOGRAMS_H_
