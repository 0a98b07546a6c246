// model.h: what the network computes. Fill in the TODOs from top to bottom.
#ifndef SRC_MODEL_H_
#define SRC_MODEL_H_

#include <base/metrics/error.h>
<% if with_example %>
#include <base/model/mlp.h>
<% endif %>
#include <base/model/model.h>

#include <array>

#include "src/settings.h"

namespace <@ namespace @> {

class Model final : public base::Model {
 public:
  static constexpr std::int64_t kFeatures = 4;
  // By column: a typical value, and how far others lie from it. The network sees numbers around 0.
  static constexpr std::array<float, kFeatures> kMiddle{60.0F, 0.03F, 1.0F, 80.0F};
  static constexpr std::array<float, kFeatures> kRange{60.0F, 0.05F, 5.0F, 25.0F};
  static constexpr double kUnit = 100;  // of the value: the network gives numbers around 1

  explicit Model(const Settings& settings) {
    // TODO(1/7): register every layer that forward() runs; their names become the keys of checkpoints.
<% if with_example %>
    const base::Mlp::Options layers{.inputs = kFeatures, .hidden = {settings.width, settings.width}, .outputs = 1};
    network_ = register_module("network", std::make_shared<base::Mlp>(layers));
<% else %>
    hidden_ = register_module("hidden", torch::nn::Linear(kFeatures, settings.width));
    head_ = register_module("head", torch::nn::Linear(settings.width, 1));
<% endif %>
  }

  base::Tensors example_inputs() const override {
    // TODO(2/7): one batch of the inputs as they are served: their names, types and shapes.
    return {{"features", torch::zeros({1, kFeatures})}};
  }

  base::Tensors preprocess(base::Tensors inputs) const override {
    // TODO(3/7): from what is read to what the network takes, in training and in serving alike.
    const auto middle = torch::tensor(at::ArrayRef<float>(kMiddle), inputs["features"].options());
    const auto range = torch::tensor(at::ArrayRef<float>(kRange), inputs["features"].options());
    return {{"features", (inputs["features"] - middle) / range}};
  }

  base::Tensors forward(const base::Tensors& inputs) override {
    // TODO(4/7): run the layers.
<% if with_example %>
    return {{"value", network_->forward(inputs["features"]).squeeze(1)}};
<% else %>
    return {{"value", head_(hidden_(inputs["features"]).relu()).squeeze(1)}};
<% endif %>
  }

  base::Tensors postprocess(base::Tensors outputs) const override {
    // TODO(5/7): what a served answer holds.
    return {{"value", outputs["value"] * kUnit}};
  }

  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    // TODO(6/7): a single number to make smaller.
    return torch::mse_loss(outputs["value"], batch["label"] / kUnit);
  }

  void measure(const base::Tensors& outputs, const base::Tensors& batch, base::Metrics& metrics) const override {
    // TODO(7/7): what to follow beside the loss.
    metrics.get<base::MeanAbsoluteError>("mae").update(outputs["value"] * kUnit, batch["label"]);
  }

 private:
<% if with_example %>
  std::shared_ptr<base::Mlp> network_;
<% else %>
  torch::nn::Linear hidden_{nullptr}, head_{nullptr};
<% endif %>
};

}  // namespace <@ namespace @>

#endif  // SRC_MODEL_H_
