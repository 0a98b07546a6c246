// model.h: what the network computes. Fill in the TODOs from top to bottom.
#ifndef SRC_MODEL_H_
#define SRC_MODEL_H_

#include <base/metrics/error.h>
<% if with_example %>
#include <base/model/conv_autoencoder.h>
<% endif %>
#include <base/model/model.h>

#include <array>

#include "src/settings.h"

namespace <@ namespace @> {

class Model final : public base::Model {
 public:
  static constexpr std::int64_t kChannels = 2;  // columns of the series
  // By column: a typical value, and how far others lie from it. The network sees numbers around 0.
  static constexpr std::array<float, kChannels> kMiddle{45.0F, 0.5F};
  static constexpr std::array<float, kChannels> kRange{15.0F, 0.5F};

  explicit Model(const Settings& settings) : length_(settings.length) {
    // TODO(1/7): register every layer that forward() runs; their names become the keys of checkpoints.
<% if with_example %>
    const base::ConvAutoencoder::Options layers{.channels = kChannels, .embedding = settings.embedding};
    network_ = register_module("network", std::make_shared<base::ConvAutoencoder>(layers));
<% else %>
    encoder_ = register_module("encoder", torch::nn::Linear(kChannels * length_, settings.embedding));
    decoder_ = register_module("decoder", torch::nn::Linear(settings.embedding, kChannels * length_));
<% endif %>
  }

  base::Tensors example_inputs() const override {
    // TODO(2/7): one batch of the inputs as they are served: their names, types and shapes.
    return {{"series", torch::zeros({1, kChannels, length_})}};
  }

  base::Tensors preprocess(base::Tensors inputs) const override {
    // TODO(3/7): from what is read to what the network takes, in training and in serving alike.
    const auto options = inputs["series"].options();
    const auto middle = torch::tensor(at::ArrayRef<float>(kMiddle), options).view({kChannels, 1});
    const auto range = torch::tensor(at::ArrayRef<float>(kRange), options).view({kChannels, 1});
    return {{"series", (inputs["series"] - middle) / range}};
  }

  base::Tensors forward(const base::Tensors& inputs) override {
    // TODO(4/7): run the layers.
    const torch::Tensor& series = inputs["series"];
<% if with_example %>
    const torch::Tensor embedding = network_->encode(series);
    const torch::Tensor again = network_->decode(embedding, series.size(2));
<% else %>
    const torch::Tensor embedding = encoder_(series.flatten(1));
    const torch::Tensor again = decoder_(embedding).view_as(series);
<% endif %>
    return {{"embedding", embedding}, {"series", series}, {"again", again}};
  }

  base::Tensors postprocess(base::Tensors outputs) const override {
    // TODO(5/7): what a served answer holds.
    const torch::Tensor error = (outputs["again"] - outputs["series"]).abs().mean({1, 2});
    return {{"embedding", outputs["embedding"].flatten(1)}, {"error", error}};
  }

  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& /*batch*/) override {
    // TODO(6/7): a single number to make smaller.
    return torch::mse_loss(outputs["again"], outputs["series"]);
  }

  void measure(const base::Tensors& outputs, const base::Tensors& /*batch*/, base::Metrics& metrics) const override {
    // TODO(7/7): what to follow beside the loss.
    metrics.get<base::MeanAbsoluteError>("mae").update(outputs["again"], outputs["series"]);
  }

 private:
  std::int64_t length_;
<% if with_example %>
  std::shared_ptr<base::ConvAutoencoder> network_;
<% else %>
  torch::nn::Linear encoder_{nullptr}, decoder_{nullptr};
<% endif %>
};

}  // namespace <@ namespace @>

#endif  // SRC_MODEL_H_
