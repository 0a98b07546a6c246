// model.h: what the network computes. Fill in the TODOs from top to bottom.
#ifndef SRC_MODEL_H_
#define SRC_MODEL_H_

<% if with_example %>
#include <base/metrics/error.h>
<% endif %>
#include <base/model/model.h>

#include "src/settings.h"

namespace <@ namespace @> {

class Model final : public base::Model {
 public:
  explicit Model(const Settings& settings) {
    // TODO(1/7): register every layer that forward() runs; their names become the keys of checkpoints.
    hidden_ = register_module("hidden", torch::nn::Linear(2, settings.width));
    head_ = register_module("head", torch::nn::Linear(settings.width, 1));
  }

  base::Tensors example_inputs() const override {
    // TODO(2/7): one batch of the inputs as they are served: their names, types and shapes.
    return {{"x", torch::zeros({1, 2})}};
  }

  base::Tensors preprocess(base::Tensors inputs) const override {
    // TODO(3/7): from what is read to what the network takes, in training and in serving alike.
    return inputs;
  }

  base::Tensors forward(const base::Tensors& inputs) override {
    // TODO(4/7): run the layers.
    return {{"y", head_(hidden_(inputs["x"]).tanh())}};
  }

  base::Tensors postprocess(base::Tensors outputs) const override {
    // TODO(5/7): what a served answer holds.
    return outputs;
  }

  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    // TODO(6/7): a single number to make smaller.
    return torch::mse_loss(outputs["y"], batch["y"]);
  }

<% if with_example %>
  void measure(const base::Tensors& outputs, const base::Tensors& batch, base::Metrics& metrics) const override {
    // TODO(7/7): what to follow beside the loss.
    metrics.get<base::MeanAbsoluteError>("mae").update(outputs["y"], batch["y"]);
  }
<% else %>
  void measure(const base::Tensors& /*outputs*/, const base::Tensors& /*batch*/,
               base::Metrics& /*metrics*/) const override {
    // TODO(7/7): what to follow beside the loss.
  }
<% endif %>

 private:
  torch::nn::Linear hidden_{nullptr}, head_{nullptr};
};

}  // namespace <@ namespace @>

#endif  // SRC_MODEL_H_
