// gradient.h: what is done to the gradients between backward and the step.
#ifndef BASE_TRAIN_GRADIENT_H_
#define BASE_TRAIN_GRADIENT_H_

#include <optional>
#include <string>
#include <vector>

#include "base/tensor/state.h"
#include "base/train/optimizer.h"

namespace base {

/// Scales all gradients down together so that their norm is at most `most`; gives the norm there was, on the device.
torch::Tensor clip_gradient_norm(const std::vector<ParameterGroup>& groups, double most);
/// Every element of the gradients between -most and most.
void clip_gradient_value(const std::vector<ParameterGroup>& groups, double most);

/// The name of the first parameter that is not finite, or whose gradient is not: "head.weight (gradient)".
std::optional<std::string> find_not_finite(const std::vector<ParameterGroup>& groups);

/// Scales the loss so that small gradients survive in half precision, and follows how large the scale can be.
class GradientScaler final : public Stateful {
 public:
  struct Options {
    double initial = 65536.0;
    double growth = 2.0;
    double backoff = 0.5;
    std::int64_t growth_interval = 2000;
  };
  GradientScaler(torch::Device device, const Options& options);

  torch::Tensor scale(const torch::Tensor& loss) const { return loss * scale_; }
  /// Divides the gradients by the scale and notes whether any is not finite; needed before clipping.
  void unscale(const std::vector<ParameterGroup>& groups);
  /// Steps unless a gradient is not finite, then adapts the scale.
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
