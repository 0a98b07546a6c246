// optimizer.h: how the weights move. Each step is one call of LibTorch's fused kernels for all parameters of a group.
#ifndef BASE_TRAIN_OPTIMIZER_H_
#define BASE_TRAIN_OPTIMIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/tensor/state.h"

namespace base {

struct OptimizerSettings {
  std::string kind = "adamw";
  double learning_rate = 0.001;
  double weight_decay = 0.0;  // sgd, adam: added to the gradient (L2); adamw: taken off the weights directly
  double momentum = 0.9;      // sgd
  bool nesterov = false;      // sgd
  double beta1 = 0.9;         // adam, adamw
  double beta2 = 0.999;       // adam, adamw
  double epsilon = 1e-8;      // adam, adamw

  void declare(Knobs& knobs);
};

struct NamedParameter {
  std::string name;
  torch::Tensor tensor;
};

/// Parameters that move alike. What a group does not say is as in the settings.
struct ParameterGroup {
  std::vector<NamedParameter> parameters;
  double learning_rate_factor = 1.0;  // times the learning rate of the moment
  std::optional<double> weight_decay = {};
};

/// Its state (moments, counts of steps) goes by the parameters' names, so that it can be loaded into other groups.
class Optimizer : public Stateful {
 public:
  /// The parameters are shared with the model and of any dense memory format; a tensor that is there twice (shared
  /// weights) moves once, as its first name. One that is frozen (requires no gradient) or has no gradient in a step
  /// stays as it is in that step, and so does what is remembered about it.
  static std::unique_ptr<Optimizer> make(const OptimizerSettings& settings, std::vector<ParameterGroup> groups);

  /// One step with the gradients that are there. `found_inf` is the gradient scaler's, on the device: the step does
  /// nothing if it holds 1. Undefined without a scaler.
  virtual void step(double learning_rate, const torch::Tensor& found_inf = {}) = 0;

  /// Forgets the gradients: undefined, so that backward hands over its buffers instead of adding to zeros.
  void zero_grad();

  const std::vector<ParameterGroup>& groups() const { return groups_; }

 protected:
  explicit Optimizer(std::vector<ParameterGroup> groups) : groups_(std::move(groups)) {}

  std::vector<ParameterGroup> groups_;
};

}  // namespace base

#endif  // BASE_TRAIN_OPTIMIZER_H_
