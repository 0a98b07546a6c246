#include "base/torch.h"

#include "base/model/matrix_product.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string_view>

namespace base {
namespace {

/// Multiplications from which on oneDNN's head start is made up for.
constexpr std::int64_t kMany = 1'500'000;

using Scalars = c10::List<std::optional<at::Scalar>>;
using Signature = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                             Scalars, std::optional<std::string_view>);
using LinearPointwise = c10::TypedOperatorHandle<Signature>;

/// oneDNN's, where it is the faster one and LibTorch was built with it.
std::optional<LinearPointwise> find_linear_pointwise() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_is("amd") || !__builtin_cpu_supports("avx512f")) return {};
  const auto found = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
  if (found) return found->typed<Signature>();
#endif
  return {};
}

}  // namespace

torch::Tensor times_transposed(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                               bool has_relu) {
  static const std::optional<LinearPointwise> linear_pointwise = find_linear_pointwise();
  const at::AutoDispatchBelowADInplaceOrView direct;
  const bool is_plain = x.is_cpu() && x.scalar_type() == torch::kFloat && weight.scalar_type() == torch::kFloat;
  if (linear_pointwise && is_plain && x.size(0) * x.size(1) * weight.size(0) >= kMany) {
    const std::optional<at::Tensor> added = bias.defined() ? std::optional(bias) : std::nullopt;
    return linear_pointwise->call(x, weight, added, has_relu ? "relu" : "none", Scalars(), {});
  }
  torch::Tensor y = bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
  return has_relu ? y.relu_() : y;
}

}  // namespace base
