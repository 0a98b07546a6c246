#include "base/torch.h"

#include "base/train/work.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/model/mlp.h"
#include "base/model/mnist_cnn.h"

namespace base::testing {
namespace {

/// Any network of one input, as a model.
template <typename Network>
class Wrapped final : public Model {
 public:
  Wrapped(std::shared_ptr<Network> network, torch::Tensor example) : example_(std::move(example)) {
    network_ = register_module("network", std::move(network));
  }
  Tensors example_inputs() const override { return {{"x", example_}}; }
  Tensors forward(const Tensors& inputs) override { return {{"y", network_->forward(inputs["x"])}}; }
  torch::Tensor loss(const Tensors& outputs, const Tensors& /*batch*/) override { return outputs["y"].sum(); }

 private:
  std::shared_ptr<Network> network_;
  torch::Tensor example_;
};

template <typename Network>
double work(std::shared_ptr<Network> network, const torch::Tensor& example) {
  Wrapped<Network> model(std::move(network), example);
  return work_per_example(model);
}

TEST(Work, OfLinearLayersIsTheirWeights) {
  const auto mlp = std::make_shared<Mlp>(Mlp::Options{.inputs = 784, .hidden = {64, 64}, .outputs = 10});
  const double weights = 784 * 64 + 64 * 64 + 64 * 10;
  for (const std::int64_t batch : {1, 7}) {
    const double counted = work(mlp, torch::zeros({batch, 784}));
    EXPECT_GE(counted, weights);
    EXPECT_LE(counted, 1.1 * weights);  // and some for what is done element by element
  }
}

TEST(Work, OfConvolutionsGrowsWithThePicture) {
  const auto options = torch::nn::Conv2dOptions(3, 8, 3).padding(1);
  const auto layer = [&] { return torch::nn::Conv2d(options).ptr(); };
  const double small = work(layer(), torch::zeros({1, 3, 8, 8}));
  EXPECT_GE(small, 3 * 8 * 9 * 64);
  EXPECT_NEAR(work(layer(), torch::zeros({1, 3, 16, 16})) / small, 4, 0.1);
}

TEST(Work, ThatCannotBeSeenIsMuch) {
  class Unable final : public Model {
   public:
    Tensors example_inputs() const override { return {{"x", torch::zeros({1, 3})}}; }
    Tensors forward(const Tensors& inputs) override { return {{"y", inputs["x"].view({2, 2})}}; }
    torch::Tensor loss(const Tensors& outputs, const Tensors& /*batch*/) override { return outputs["y"].sum(); }
  } unable;
  EXPECT_TRUE(std::isinf(work_per_example(unable)));
  EXPECT_EQ(unable.mode(), Model::Mode::kTrain);
}

TEST(Work, DecidesByNetworkAndBatch) {
  const double mlp = work(std::make_shared<Mlp>(Mlp::Options{.inputs = 784, .hidden = {64, 64}, .outputs = 10}),
                          torch::zeros({1, 784}));
  EXPECT_TRUE(is_small_step(mlp, 32));
  EXPECT_FALSE(is_small_step(mlp, 512));
  EXPECT_FALSE(is_small_step(work(std::make_shared<MnistCnn>(), torch::zeros({1, 1, 28, 28})), 32));
}

}  // namespace
}  // namespace base::testing
