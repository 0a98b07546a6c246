#include "base/torch.h"

#include "base/model/model.h"

#include <algorithm>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/model/freeze.h"
#include "base/model/hook.h"

namespace base {

std::vector<Model::DynamicAxis> Model::dynamic_axes() const {
  std::vector<DynamicAxis> axes;
  for (const auto& [name, tensor] : example_inputs())
    if (tensor.dim() > 0) axes.push_back({.input = name, .axis = 0, .name = "batch"});
  return axes;
}

Tensors Model::run(const Tensors& batch) {
  if (input_names_.empty()) {
    for (const auto& [name, tensor] : example_inputs()) input_names_.push_back(name);
    if (input_names_.empty()) {
      throw Error(ErrorKind::kUsage, "the model has no inputs", "", "let example_inputs() return one tensor or more");
    }
  }
  Tensors inputs;
  for (const std::string& name : input_names_) inputs.set(name, batch[name]);
  inputs = run_hook("preprocess", inputs, [&] { return preprocess(inputs); });
  Tensors outputs = run_hook("forward", inputs, [&] { return forward(inputs); });
  if (mode_ != Mode::kInfer) return outputs;
  return run_hook("postprocess", outputs, [&] { return postprocess(outputs); });
}

void Model::set_mode(Mode mode) {
  mode_ = mode;
  train(mode == Mode::kTrain);
  hold_frozen_statistics(*this);
}

bool Model::prefers_channels_last() {
  const Tensors inputs = example_inputs();
  const bool pictures = std::ranges::any_of(inputs, [](const auto& input) { return input.second.dim() == 4; });
  return pictures && std::ranges::any_of(modules(/*include_self=*/false), [](const auto& module) {
           return module->template as<torch::nn::Conv2d>() != nullptr;
         });
}

void check_labels(const torch::Tensor& labels, std::int64_t classes, const Model::NameOfExample& name) {
  if (!torch::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) {
    throw Error(ErrorKind::kData, "labels are integers, the numbers of the classes", describe(labels),
                "read them as int64");
  }
  const torch::Tensor numbers = labels.to(torch::kLong).contiguous();
  const auto* label = numbers.const_data_ptr<std::int64_t>();
  const std::int64_t count = numbers.numel();
  for (std::int64_t i = 0; i < count; ++i) {
    if (label[i] >= 0 && label[i] < classes) continue;
    const std::int64_t position = numbers.dim() == 0 ? 0 : i / (count / numbers.size(0));
    throw Error(ErrorKind::kData, "a label is out of range",
                format("{} in {}", label[i], name ? name(position) : format("example {} of the batch", position)),
                format("labels are from 0 to {}: correct the data, or give the model more classes", classes - 1));
  }
}

}  // namespace base
