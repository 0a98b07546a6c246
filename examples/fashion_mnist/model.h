// model.h: what the network computes.
#ifndef EXAMPLES_FASHION_MNIST_MODEL_H_
#define EXAMPLES_FASHION_MNIST_MODEL_H_

#include <base/metrics/accuracy.h>
#include <base/model/mnist_cnn.h>
#include <base/model/model.h>

namespace fashion_mnist {

class Model final : public base::Model {
 public:
  static constexpr std::int64_t kClasses = 10;

  Model() { network_ = register_module("network", std::make_shared<base::MnistCnn>()); }

  base::Tensors example_inputs() const override { return {{"image", torch::zeros({1, 1, 28, 28}, torch::kUInt8)}}; }

  /// Bytes, as they are in the files, to numbers around zero.
  base::Tensors preprocess(base::Tensors inputs) const override {
    return {{"image", inputs["image"].to(torch::kFloat).sub_(kMean).div_(kDeviation)}};
  }

  base::Tensors forward(const base::Tensors& inputs) override {
    return {{"logits", network_->forward(inputs["image"])}};
  }

  base::Tensors postprocess(base::Tensors outputs) const override {
    return {{"class", outputs["logits"].argmax(1)}, {"probability", outputs["logits"].softmax(1)}};
  }

  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    return torch::cross_entropy_loss(outputs["logits"], batch["label"]);
  }

  void measure(const base::Tensors& outputs, const base::Tensors& batch, base::Metrics& metrics) const override {
    metrics.get<base::Accuracy>("accuracy").update(outputs["logits"], batch["label"]);
  }

  void check(const base::Tensors& batch, const NameOfExample& name) const override {
    base::check_labels(batch["label"], kClasses, name);
  }

 private:
  static constexpr double kMean = 72.9;  // of the bytes of the training set
  static constexpr double kDeviation = 90.0;

  std::shared_ptr<base::MnistCnn> network_;
};

}  // namespace fashion_mnist

#endif  // EXAMPLES_FASHION_MNIST_MODEL_H_
