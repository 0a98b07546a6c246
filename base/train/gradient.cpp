#include "base/torch.h"

#include "base/train/gradient.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

/// Those that a step will use.
std::vector<torch::Tensor> gradients_of(const std::vector<ParameterGroup>& groups) {
  std::vector<torch::Tensor> gradients;
  for (const ParameterGroup& group : groups) {
    for (const auto& [name, tensor] : group.parameters) {
      if (tensor.requires_grad() && tensor.grad().defined()) gradients.push_back(tensor.grad());
    }
  }
  return gradients;
}

bool is_finite(const torch::Tensor& tensor) {
  return tensor.isfinite().all().item<bool>();
}

}  // namespace

torch::Tensor clip_gradient_norm(const std::vector<ParameterGroup>& groups, double most) {
  const torch::NoGradGuard no_grad;
  const std::vector<torch::Tensor> gradients = gradients_of(groups);
  if (gradients.empty()) return torch::zeros({});
  const torch::Tensor norm = torch::linalg_vector_norm(torch::stack(at::_foreach_norm(gradients)), 2);
  // Times 1 if the norm is small enough: to ask whether it is would wait for the device.
  at::_foreach_mul_(gradients, torch::clamp_max(most / (norm + 1e-6), 1.0));
  return norm;
}

void clip_gradient_value(const std::vector<ParameterGroup>& groups, double most) {
  const torch::NoGradGuard no_grad;
  const std::vector<torch::Tensor> gradients = gradients_of(groups);
  if (gradients.empty()) return;
  at::_foreach_clamp_min_(gradients, -most);
  at::_foreach_clamp_max_(gradients, most);
}

std::optional<std::string> find_not_finite(const std::vector<ParameterGroup>& groups) {
  const torch::NoGradGuard no_grad;
  for (const ParameterGroup& group : groups) {
    for (const auto& [name, tensor] : group.parameters) {
      if (!is_finite(tensor)) return name;
      if (tensor.grad().defined() && !is_finite(tensor.grad())) return name + " (gradient)";
    }
  }
  return std::nullopt;
}

GradientScaler::GradientScaler(torch::Device device, const Options& options)
    : options_(options),
      scale_(torch::full({}, options.initial, torch::dtype(torch::kFloat).device(device))),
      growth_tracker_(torch::zeros({}, torch::dtype(torch::kInt).device(device))),
      found_inf_(torch::zeros({}, torch::dtype(torch::kFloat).device(device))) {}

void GradientScaler::unscale(const std::vector<ParameterGroup>& groups) {
  if (unscaled_) {
    throw Error(ErrorKind::kInternal, "the gradients are unscaled twice in one step", "",
                "call unscale() once before step()");
  }
  const torch::NoGradGuard no_grad;
  std::map<torch::ScalarType, std::vector<torch::Tensor>> by_type;  // the kernel takes one type at a time
  for (torch::Tensor& gradient : gradients_of(groups)) by_type[gradient.scalar_type()].push_back(gradient);
  // In double, as single precision's reciprocal may be a bit off.
  const torch::Tensor inverse = scale_.to(torch::kDouble).reciprocal().to(torch::kFloat);
  found_inf_.zero_();
  for (const auto& [type, gradients] : by_type) {
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, inverse);
  }
  unscaled_ = true;
}

void GradientScaler::step(Optimizer& optimizer, double learning_rate) {
  if (!unscaled_) unscale(optimizer.groups());
  optimizer.step(learning_rate, found_inf_);
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, options_.growth, options_.backoff,
                         options_.growth_interval);
  unscaled_ = false;
}

void GradientScaler::save_state(State& state) const {
  state.set("scale", scale_.item<double>());
  state.set("good_in_a_row", growth_tracker_.item<std::int64_t>());
}

void GradientScaler::load_state(const State& state) {
  const auto scale = state.get<double>("scale");
  const auto good_in_a_row = state.get<std::int64_t>("good_in_a_row");
  if (!std::isfinite(scale) || scale <= 0 || good_in_a_row < 0) {
    throw Error(ErrorKind::kCheckpoint, "the saved state of the gradient scaler is damaged",
                format("scale {}, good_in_a_row {}", scale, good_in_a_row), "restore an older checkpoint");
  }
  scale_.fill_(scale);
  // The kernel grows the scale when the count hits the interval, which may have become shorter: never beyond it.
  growth_tracker_.fill_(std::min(good_in_a_row, std::max<std::int64_t>(options_.growth_interval - 1, 0)));
  unscaled_ = false;
}

}  // namespace base
