// model.h: what the network computes. Fill in the TODOs from top to bottom.
#ifndef SRC_MODEL_H_
#define SRC_MODEL_H_

#include <base/metrics/accuracy.h>
#include <base/model/model.h>

#include "src/settings.h"

namespace <@ namespace @> {

class Model final : public base::Model {
 public:
  static constexpr std::int64_t kChannels = <% if data == "idx" %>1<% else %>3<% endif %>;
  static constexpr std::int64_t kSize = <% if data == "idx" %>28<% else %>32<% endif %>;  // height and width of a picture
  static constexpr std::int64_t kClasses = 4;

  explicit Model(const Settings& settings) {
    // TODO(1/7): register every layer that forward() runs; their names become the keys of checkpoints.
<% if with_example %>
    const std::int64_t narrow = (settings.width + 1) / 2;
    const auto from_to = [](std::int64_t in, std::int64_t out) {
      return torch::nn::Conv2dOptions(in, out, 3).padding(1);  // which keeps the size of a picture
    };
    conv1_ = register_module("conv1", torch::nn::Conv2d(from_to(kChannels, narrow)));
    norm1_ = register_module("norm1", torch::nn::BatchNorm2d(narrow));
    conv2_ = register_module("conv2", torch::nn::Conv2d(from_to(narrow, settings.width)));
    norm2_ = register_module("norm2", torch::nn::BatchNorm2d(settings.width));
    head_ = register_module("head", torch::nn::Linear(settings.width * 16, kClasses));
<% else %>
    hidden_ = register_module("hidden", torch::nn::Linear(kChannels * kSize * kSize, settings.width));
    head_ = register_module("head", torch::nn::Linear(settings.width, kClasses));
<% endif %>
  }

  base::Tensors example_inputs() const override {
    // TODO(2/7): one batch of the inputs as they are served: their names, types and shapes.
    return {{"image", torch::zeros({1, kChannels, kSize, kSize}, torch::kUInt8)}};
  }

  base::Tensors preprocess(base::Tensors inputs) const override {
    // TODO(3/7): from what is read to what the network takes, in training and in serving alike.
    return {{"image", inputs["image"].to(torch::kFloat).div(127.5).sub(1)}};
  }

  base::Tensors forward(const base::Tensors& inputs) override {
    // TODO(4/7): run the layers.
<% if with_example %>
    torch::Tensor x = torch::max_pool2d(norm1_(conv1_(inputs["image"])).relu_(), 2);
    x = torch::max_pool2d(norm2_(conv2_(x)).relu_(), 2);
    return {{"logits", head_(torch::adaptive_avg_pool2d(x, {4, 4}).flatten(1))}};
<% else %>
    return {{"logits", head_(hidden_(inputs["image"].flatten(1)).relu())}};
<% endif %>
  }

  base::Tensors postprocess(base::Tensors outputs) const override {
    // TODO(5/7): what a served answer holds.
    return {{"class", outputs["logits"].argmax(1)}, {"probability", outputs["logits"].softmax(1)}};
  }

  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    // TODO(6/7): a single number to make smaller.
    return torch::cross_entropy_loss(outputs["logits"], batch["label"]);
  }

  void measure(const base::Tensors& outputs, const base::Tensors& batch, base::Metrics& metrics) const override {
    // TODO(7/7): what to follow beside the loss.
    metrics.get<base::Accuracy>("accuracy").update(outputs["logits"], batch["label"]);
  }

  void check(const base::Tensors& batch, const NameOfExample& name) const override {
    base::check_labels(batch["label"], kClasses, name);
  }

 private:
<% if with_example %>
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::BatchNorm2d norm1_{nullptr}, norm2_{nullptr};
  torch::nn::Linear head_{nullptr};
<% else %>
  torch::nn::Linear hidden_{nullptr}, head_{nullptr};
<% endif %>
};

}  // namespace <@ namespace @>

#endif  // SRC_MODEL_H_
