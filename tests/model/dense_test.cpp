#include "base/torch.h"

#include "base/model/dense.h"

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace base {
namespace {

torch::Tensor plain(torch::nn::Linear& linear, const torch::Tensor& x, Activation activation) {
  const torch::Tensor y = linear->forward(x);
  return activation == Activation::kRelu ? y.relu() : y;
}

Activation activation_of(bool has_relu) {
  return has_relu ? Activation::kRelu : Activation::kNone;
}

RC_GTEST_PROP(Dense, AnswersAndLearnsAsItsParts, (std::uint32_t seed, bool has_relu, bool has_bias)) {
  torch::manual_seed(seed);
  const auto size = [](int most) { return static_cast<std::int64_t>(*rc::gen::inRange(1, most)); };
  torch::nn::Linear linear(torch::nn::LinearOptions(size(40), size(40)).bias(has_bias));
  const torch::Tensor x = torch::randn({size(20), linear->options.in_features()}, torch::requires_grad());
  const torch::Tensor weights = torch::randn({x.size(0), linear->options.out_features()});
  std::vector<torch::Tensor> of = linear->parameters();
  of.push_back(x);
  const torch::Tensor ours = dense(linear, x, activation_of(has_relu));
  const torch::Tensor theirs = plain(linear, x, activation_of(has_relu));
  RC_ASSERT(torch::equal(ours, theirs));
  const auto gradients = torch::autograd::grad({(ours * weights).sum()}, of);
  const auto expected = torch::autograd::grad({(theirs * weights).sum()}, of);
  for (std::size_t i = 0; i < of.size(); ++i) RC_ASSERT(torch::allclose(gradients[i], expected[i], 1e-5, 1e-6));
}

TEST(Dense, IsTheSameForLargeMatrices) {  // which another library may multiply
  torch::manual_seed(1);
  torch::nn::Linear linear(300, 200);
  const torch::Tensor x = torch::randn({100, 300}, torch::requires_grad());
  std::vector<torch::Tensor> of = linear->parameters();
  of.push_back(x);
  for (const bool has_relu : {true, false}) {
    const torch::Tensor ours = dense(linear, x, activation_of(has_relu));
    const torch::Tensor theirs = plain(linear, x, activation_of(has_relu));
    EXPECT_TRUE(torch::allclose(ours, theirs, 1e-4, 1e-5));
    const auto gradients = torch::autograd::grad({ours.square().sum()}, of);
    const auto expected = torch::autograd::grad({theirs.square().sum()}, of);
    for (std::size_t i = 0; i < of.size(); ++i) EXPECT_TRUE(torch::allclose(gradients[i], expected[i], 1e-3, 1e-3));
  }
}

TEST(Dense, HasGradientsOfGradients) {
  torch::nn::Linear linear(5, 3);
  const torch::Tensor x = torch::randn({4, 5}, torch::requires_grad());
  const auto penalty = [&](const torch::Tensor& y) {
    const auto gradient = torch::autograd::grad({y.square().sum()}, {x}, {}, /*retain=*/true, /*create_graph=*/true);
    return torch::autograd::grad({gradient[0].square().sum()}, {linear->weight})[0];
  };
  EXPECT_TRUE(torch::allclose(penalty(dense(linear, x, Activation::kRelu)),
                              penalty(plain(linear, x, Activation::kRelu)), 1e-4, 1e-5));
}

TEST(Dense, GivesFrozenWeightsNoGradient) {
  torch::nn::Linear linear(5, 3);
  linear->weight.requires_grad_(false);
  dense(linear, torch::randn({4, 5}), Activation::kRelu).sum().backward();
  EXPECT_FALSE(linear->weight.grad().defined());
  EXPECT_TRUE(linear->bias.grad().defined());
}

TEST(Dense, TakesMoreAxesAndLowerPrecision) {
  torch::nn::Linear linear(5, 3);
  const torch::Tensor x = torch::randn({2, 4, 5});
  EXPECT_TRUE(torch::equal(dense(linear, x, Activation::kRelu).detach(), plain(linear, x, Activation::kRelu).detach()));
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const torch::Tensor y = dense(linear, x[0], Activation::kNone);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
  y.sum().backward();
  EXPECT_EQ(linear->weight.grad().scalar_type(), torch::kFloat);
}

}  // namespace
}  // namespace base
