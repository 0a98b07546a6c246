#include "base/torch.h"

#include "base/model/freeze.h"

#include <algorithm>

#include "base/model/name_pattern.h"

namespace base {
namespace {

std::size_t set_learning(torch::nn::Module& module, const std::vector<std::string>& patterns, bool learning) {
  auto parameters = module.named_parameters();
  const std::vector<std::string> found = matching_names(patterns, parameters.keys());
  for (const std::string& name : found) parameters[name].set_requires_grad(learning);
  return found.size();
}

}  // namespace

std::size_t freeze(torch::nn::Module& module, const std::vector<std::string>& patterns) {
  return set_learning(module, patterns, false);
}

std::size_t unfreeze(torch::nn::Module& module, const std::vector<std::string>& patterns) {
  return set_learning(module, patterns, true);
}

void hold_frozen_statistics(torch::nn::Module& module) {
  for (const auto& layer : module.modules(/*include_self=*/false)) {
    if (!layer->named_buffers(/*recurse=*/false).contains("running_mean")) continue;
    const std::vector<torch::Tensor> parameters = layer->parameters(/*recurse=*/false);
    const bool frozen = !parameters.empty() && std::ranges::none_of(parameters, &torch::Tensor::requires_grad);
    if (frozen) layer->eval();
  }
}

}  // namespace base
