#include "base/torch.h"

#include "base/dist/sync_batch_norm.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace base {
namespace {

// LibTorch's layers end in the operator aten::batch_norm. A key of its dispatcher that nobody else uses, and that
// counts only while a SyncBatchNorm lives, leads that one operator here; all others pass.
constexpr auto kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;
thread_local ProcessGroup* current = nullptr;
thread_local bool current_rows_count = true;

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// [1, C, 1, ...], to go with an input of so many dimensions.
torch::Tensor by_channel(const torch::Tensor& values, const torch::Tensor& input) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim()), 1);
  shape[1] = values.numel();
  return values.view(shape);
}

std::vector<std::int64_t> all_but_channels(const torch::Tensor& input) {
  std::vector<std::int64_t> dimensions{0};
  for (std::int64_t i = 2; i < input.dim(); ++i) dimensions.push_back(i);
  return dimensions;
}

class Normalize final : public torch::autograd::Function<Normalize> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input, const torch::Tensor& weight,
                               const torch::Tensor& bias, torch::Tensor running_mean, torch::Tensor running_variance,
                               double momentum, double epsilon) {
    ProcessGroup* const group = current;
    const auto dimensions = all_but_channels(input);
    const torch::Tensor exact = input.to(torch::kDouble);
    const double count = static_cast<double>(input.numel() / input.size(1));
    const torch::Tensor totals =
        torch::cat({exact.sum(dimensions), exact.square().sum(dimensions), torch::full({1}, count, exact.options())});
    if (!current_rows_count) totals.zero_();
    group->sum(totals);
    const std::int64_t channels = input.size(1);
    const torch::Tensor all = totals[2 * channels];
    const torch::Tensor mean = totals.slice(0, 0, channels) / all;
    const torch::Tensor variance = (totals.slice(0, channels, 2 * channels) / all - mean.square()).clamp_min(0);
    const torch::Tensor scale = (variance + epsilon).rsqrt();
    if (running_mean.defined()) {
      running_mean.lerp_(mean.to(running_mean.dtype()), momentum);
      running_variance.lerp_((variance * (all / (all - 1))).to(running_variance.dtype()), momentum);
    }
    const torch::Tensor normal = (exact - by_channel(mean, input)).mul_(by_channel(scale, input)).to(input.dtype());
    context->save_for_backward({normal, weight, scale, all});
    context->saved_data["group"] = reinterpret_cast<std::int64_t>(group);
    context->saved_data["rows_count"] = current_rows_count;
    torch::Tensor output = weight.defined() ? normal * by_channel(weight, input) : normal.clone();
    return bias.defined() ? output.add_(by_channel(bias, input)) : output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& normal = saved[0];
    const torch::Tensor& weight = saved[1];
    auto* const group = reinterpret_cast<ProcessGroup*>(context->saved_data["group"].toInt());
    const torch::Tensor& gradient = gradients[0];
    const auto dimensions = all_but_channels(normal);
    const torch::Tensor of_bias = gradient.sum(dimensions);
    const torch::Tensor of_weight = (gradient * normal).sum(dimensions);
    torch::Tensor of_input;
    if (context->needs_input_grad(0)) {
      const bool rows_count = context->saved_data["rows_count"].toBool();
      const torch::Tensor means = torch::cat({of_bias, of_weight}).to(torch::kDouble);
      if (!rows_count) means.zero_();
      group->sum(means);
      of_input = gradient.clone();
      if (rows_count) {  // the mean and the variance depend on them
        const torch::Tensor of_all = (means / saved[3]).to(normal.dtype());
        const std::int64_t channels = normal.size(1);
        of_input.sub_(by_channel(of_all.slice(0, 0, channels), normal));
        of_input.sub_(normal * by_channel(of_all.slice(0, channels, 2 * channels), normal));
      }
      const torch::Tensor scale = saved[2].to(normal.dtype());
      of_input.mul_(by_channel(weight.defined() ? scale * weight : scale, normal));
    }
    return {of_input, weight.defined() ? of_weight : torch::Tensor(), of_bias, {}, {}, {}, {}};
  }
};

torch::Tensor batch_norm(const torch::Tensor& input, const std::optional<torch::Tensor>& weight,
                         const std::optional<torch::Tensor>& bias, const std::optional<torch::Tensor>& running_mean,
                         const std::optional<torch::Tensor>& running_variance, bool training, double momentum,
                         double epsilon, bool cudnn) {
  const c10::impl::ExcludeDispatchKeyGuard pass(kKey);
  if (!training || current == nullptr)
    return torch::batch_norm(input, weight, bias, running_mean, running_variance, training, momentum, epsilon, cudnn);
  const torch::Tensor none;
  return Normalize::apply(input, weight.value_or(none), bias.value_or(none), running_mean.value_or(none),
                          running_variance.value_or(none), momentum, epsilon);
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, TESTING_ONLY_GenericMode, library) {
  library.impl("batch_norm", batch_norm);
}

}  // namespace

SyncBatchNorm::SyncBatchNorm(ProcessGroup* group, bool rows_count) : is_on_(group != nullptr && !group->is_alone()) {
  if (!is_on_) return;
  current = group;
  current_rows_count = rows_count;
  c10::impl::tls_set_dispatch_key_included(kKey, true);
}

SyncBatchNorm::~SyncBatchNorm() {
  if (!is_on_) return;
  c10::impl::tls_set_dispatch_key_included(kKey, false);
  current = nullptr;
}

}  // namespace base
