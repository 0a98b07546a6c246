#include "base/torch.h"

#include "base/model/dense.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include <optional>

#include "base/model/matrix_product.h"

namespace base {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class Dense final : public torch::autograd::Function<Dense> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias, bool has_relu) {
    torch::Tensor y = times_transposed(x, weight, bias, has_relu);
    context->save_for_backward({x, weight, has_relu ? y : torch::Tensor()});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const bool is_last = !torch::GradMode::is_enabled();  // else somebody wants the gradient of the gradient
    std::optional<at::AutoDispatchBelowADInplaceOrView> direct;
    if (is_last) direct.emplace();
    const auto times = [&](const torch::Tensor& a, const torch::Tensor& b) {
      return is_last ? times_transposed(a, b.t()) : at::mm(a, b);
    };
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor& y = saved[2];
    const torch::Tensor gradient = y.defined() ? at::threshold_backward(gradients[0], y, 0) : gradients[0];
    torch::Tensor of_x, of_weight, of_bias;
    if (context->needs_input_grad(0)) of_x = times(gradient, saved[1]);
    if (context->needs_input_grad(1)) of_weight = times(gradient.t(), saved[0]);
    if (context->needs_input_grad(2)) of_bias = gradient.sum(0);
    return {of_x, of_weight, of_bias, {}};
  }
};

}  // namespace

torch::Tensor dense(torch::nn::Linear& linear, const torch::Tensor& x, Activation activation) {
  const bool has_relu = activation == Activation::kRelu;
  if (torch::GradMode::is_enabled() && x.dim() == 2 && linear->bias.defined() &&
      !at::autocast::is_autocast_enabled(x.device().type()) && !torch::jit::tracer::isTracing())
    return Dense::apply(x, linear->weight, linear->bias, has_relu);
  torch::Tensor y = linear->forward(x);
  return has_relu ? y.relu_() : y;
}

}  // namespace base
