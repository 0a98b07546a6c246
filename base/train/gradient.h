// gradient.h: what is done to the gradients between backward and the step.
#ifndef BASE_TRAIN_GRADIENT_H_
#define BASE_TRAIN_GRADIENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/tensor/state.h"
#include "base/train/optimizer.h"

namespace base {

/// Scales all gradients down together so that their norm is at most `most`; gives the norm there was, on the device:
/// nothing waits for a GPU. A gradient that is not finite makes all of them so.
torch::Tensor clip_gradient_norm(const std::vector<ParameterGroup>& groups, double most);
/// Every element of the gradients between -most and most.
void clip_gradient_value(const std::vector<ParameterGroup>& groups, double most);

/// The name of the first parameter that is not finite, or whose gradient is not: "head.weight (gradient)". Waits for a
/// GPU at each of them: for when something is known to be wrong.
std::optional<std::string> find_not_finite(const std::vector<ParameterGroup>& groups);

/// Scales the loss so that small gradients survive in half precision, and follows how large the scale can be: it grows
/// after a number of good steps in a row and shrinks after a step with gradients that are not finite, which is skipped.
/// Nothing waits for a GPU.
///
///     scaler.scale(loss).backward();
///     scaler.unscale(optimizer.groups());              // only for what looks at the gradients, such as clipping
///     scaler.step(optimizer, learning_rate);
class GradientScaler final : public Stateful {
 public:
  struct Options {
    double initial = 65536.0;
    double growth = 2.0;   // the scale times this after growth_interval good steps in a row
    double backoff = 0.5;  // and times this after a bad one
    std::int64_t growth_interval = 2000;
  };
  GradientScaler(torch::Device device, const Options& options);

  torch::Tensor scale(const torch::Tensor& loss) const { return loss * scale_; }
  /// Divides the gradients by the scale and notes whether any is not finite. Once a step.
  void unscale(const std::vector<ParameterGroup>& groups);
  /// Unscales unless that is done, steps unless a gradient is not finite, then adapts the scale.
  void step(Optimizer& optimizer, double learning_rate);

  void save_state(State& state) const override;
  void load_state(const State& state) override;

 private:
  Options options_;
  torch::Tensor scale_, growth_tracker_, found_inf_;
  bool unscaled_ = false;
};

}  // namespace base

#endif  // BASE_TRAIN_GRADIENT_H_
