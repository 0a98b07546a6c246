#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <torch/optim.h>

#include "base/model/conv_autoencoder.h"
#include "base/model/mlp.h"
#include "base/model/mnist_cnn.h"
#include "base/model/resnet.h"
#include "tests/model/support.h"

namespace base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Every parameter takes part: it gets a gradient, and not one of zeros alone.
void expect_that_all_learn(torch::nn::Module& network, const torch::Tensor& output) {
  output.square().sum().backward();
  for (const auto& item : network.named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_GT(item.value().grad().abs().sum().item<double>(), 0) << item.key();
  }
}

TEST(Mlp, HasALayerForEachWidth) {
  Mlp network({.inputs = 784, .hidden = {64, 32}, .outputs = 10});
  EXPECT_THAT(network.named_parameters().keys(), ElementsAre("layers.0.weight", "layers.0.bias", "layers.1.weight",
                                                             "layers.1.bias", "layers.2.weight", "layers.2.bias"));
  EXPECT_EQ(785 * 64 + 65 * 32 + 33 * 10, parameter_count(network));
  const torch::Tensor output = network.forward(torch::rand({5, 1, 28, 28}));
  EXPECT_THAT(output.sizes().vec(), ElementsAre(5, 10));
  expect_that_all_learn(network, output);
}

TEST(Mlp, ComputesLinearLayersWithReluBetween) {
  Mlp network({.inputs = 2, .hidden = {2}, .outputs = 1});
  auto parameters = network.named_parameters();
  const torch::NoGradGuard no_grad;
  parameters["layers.0.weight"].copy_(torch::tensor({{1.0F, 0.0F}, {0.0F, -1.0F}}));
  parameters["layers.0.bias"].zero_();
  parameters["layers.1.weight"].copy_(torch::tensor({{1.0F, 10.0F}}));
  parameters["layers.1.bias"].fill_(-5.0F);
  EXPECT_EQ(3 - 5, network.forward(torch::tensor({{3.0F, 4.0F}})).item<float>());
  EXPECT_EQ(40 - 5, network.forward(torch::tensor({{-3.0F, -4.0F}})).item<float>());
}

TEST(Mlp, DropsOutInTrainingAlone) {
  Mlp network({.inputs = 8, .hidden = {64}, .outputs = 4, .dropout = 0.5});
  const torch::Tensor x = torch::rand({16, 8});
  EXPECT_FALSE(torch::equal(network.forward(x), network.forward(x)));
  network.eval();
  EXPECT_TRUE(torch::equal(network.forward(x), network.forward(x)));
}

TEST(Mlp, MayBeALinearModel) {
  Mlp network({.inputs = 3, .hidden = {}, .outputs = 2});
  EXPECT_EQ(8, parameter_count(network));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { Mlp({.inputs = 0, .outputs = 2}); }), HasSubstr("width"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { Mlp({.inputs = 1, .hidden = {-3}, .outputs = 2}); }), HasSubstr("-3"));
}

TEST(MnistCnn, IsTheNetworkOfTheTutorials) {
  MnistCnn network;
  EXPECT_THAT(network.named_parameters().keys(), ElementsAre("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
                                                             "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"));
  EXPECT_EQ(1199882, parameter_count(network));
  const torch::Tensor output = network.forward(torch::rand({3, 1, 28, 28}));
  EXPECT_THAT(output.sizes().vec(), ElementsAre(3, 10));
  expect_that_all_learn(network, output);
}

TEST(MnistCnn, TakesPicturesOfOtherSizes) {
  MnistCnn network({.channels = 3, .height = 33, .width = 20, .classes = 4});
  EXPECT_THAT(network.forward(torch::rand({2, 3, 33, 20})).sizes().vec(), ElementsAre(2, 4));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { MnistCnn({.height = 5}); }), HasSubstr("5 x 28"));
}

TEST(MnistCnn, PoolsBeforeTheReluWithTheSameResult) {
  MnistCnn network;
  network.eval();
  const torch::Tensor x = torch::randn({4, 1, 28, 28});
  auto weights = network.named_parameters();
  const auto gradients = [&](const torch::Tensor& output) {
    network.zero_grad();
    output.square().sum().backward();
    return weights["conv1.weight"].grad().clone();
  };
  torch::Tensor y = torch::conv2d(x, weights["conv1.weight"], weights["conv1.bias"]).relu();
  y = torch::max_pool2d(torch::conv2d(y, weights["conv2.weight"], weights["conv2.bias"]).relu(), 2).flatten(1);
  y = torch::linear(y, weights["fc1.weight"], weights["fc1.bias"]).relu();
  y = torch::linear(y, weights["fc2.weight"], weights["fc2.bias"]);
  const torch::Tensor ours = network.forward(x);
  EXPECT_TRUE(torch::allclose(y, ours, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(gradients(y), gradients(ours), 1e-4, 1e-5));
}

TEST(MnistCnn, GivesTheSameInEitherLayout) {
  MnistCnn network;
  network.eval();
  const torch::Tensor x = torch::randn({4, 1, 28, 28});
  const torch::Tensor plain = network.forward(x);
  network.to(torch::kCPU);
  for (auto& parameter : network.parameters())
    if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(torch::allclose(plain, network.forward(x.contiguous(torch::MemoryFormat::ChannelsLast)), 1e-5, 1e-6));
}

TEST(ResNet, HasAsManyParametersAsTorchvisions) {
  EXPECT_EQ(11689512, parameter_count(ResNet({.depth = 18})));
  EXPECT_EQ(21797672, parameter_count(ResNet({.depth = 34})));
  EXPECT_EQ(25557032, parameter_count(ResNet({.depth = 50})));
}

TEST(ResNet, HasTorchvisionsNames) {
  const ResNet network({.depth = 50, .classes = 7});
  const auto parameters = network.named_parameters();
  const auto buffers = network.named_buffers();
  EXPECT_EQ(161u, parameters.size());
  for (const char* name : {"conv1.weight", "bn1.bias", "layer1.0.conv1.weight", "layer1.0.downsample.0.weight",
                           "layer1.0.downsample.1.weight", "layer3.5.bn3.weight", "layer4.2.conv3.weight", "fc.bias"})
    EXPECT_TRUE(parameters.contains(name)) << name;
  EXPECT_FALSE(parameters.contains("layer1.1.downsample.0.weight"));
  EXPECT_FALSE(parameters.contains("conv1.bias"));
  for (const char* name : {"bn1.running_mean", "layer4.0.downsample.1.num_batches_tracked"})
    EXPECT_TRUE(buffers.contains(name)) << name;
  EXPECT_THAT(parameters["fc.weight"].sizes().vec(), ElementsAre(7, 2048));
}

TEST(ResNet, TakesPicturesOfAnySize) {
  ResNet network({.depth = 18, .classes = 5});
  network.eval();
  EXPECT_THAT(network.forward(torch::rand({2, 3, 64, 64})).sizes().vec(), ElementsAre(2, 5));
  EXPECT_THAT(network.features(torch::rand({1, 3, 33, 70})).sizes().vec(), ElementsAre(1, 512));
}

TEST(ResNet, LearnsWithEveryParameter) {
  ResNet network({.depth = 50, .classes = 5, .channels = 1});
  expect_that_all_learn(network, network.forward(torch::rand({2, 1, 40, 40})));
}

TEST(ResNet, BeginsItsBlocksAsTheIdentityWhenAsked) {
  const auto scales = [](const ResNet& network, const std::string& name) {
    return network.named_parameters()[name].abs().sum().item<double>();
  };
  const ResNet plain;
  const ResNet zero({.zero_init_residual = true});
  EXPECT_EQ(64, scales(plain, "layer1.0.bn2.weight"));
  EXPECT_EQ(0, scales(zero, "layer1.0.bn2.weight"));
  EXPECT_EQ(64, scales(zero, "layer1.0.bn1.weight"));
  EXPECT_EQ(128, scales(zero, "layer2.0.downsample.1.weight"));
}

TEST(ResNet, BeginsWithTheSpreadOfKaiming) {
  const ResNet network;
  const auto deviation = [&](const std::string& name) { return network.named_parameters()[name].std().item<double>(); };
  EXPECT_NEAR(std::sqrt(2.0 / (64 * 49)), deviation("conv1.weight"), 0.001);
  EXPECT_NEAR(std::sqrt(2.0 / (512 * 9)), deviation("layer4.1.conv2.weight"), 0.0002);
  EXPECT_NEAR(std::sqrt(2.0 / 128), deviation("layer2.0.downsample.0.weight"), 0.005);
}

TEST(ResNet, RefusesADepthThatThereIsNot) {
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { ResNet({.depth = 20}); }), HasSubstr("18, 34 or 50"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { ResNet({.classes = 0}); }), HasSubstr("0 classes"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { CifarResNet({.depth = 18}); }), HasSubstr("6 n + 2"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { CifarResNet({.depth = 2}); }), HasSubstr("depth"));
}

TEST(CifarResNet, HasTheParametersOfThePaper) {
  EXPECT_EQ(269722, parameter_count(CifarResNet({.depth = 20})));
  EXPECT_EQ(464154, parameter_count(CifarResNet({.depth = 32})));
  EXPECT_EQ(853018, parameter_count(CifarResNet({.depth = 56})));
}

TEST(CifarResNet, LearnsWithEveryParameter) {
  CifarResNet network({.depth = 20, .classes = 5});
  const torch::Tensor output = network.forward(torch::rand({2, 3, 33, 32}));
  EXPECT_THAT(output.sizes().vec(), ElementsAre(2, 5));
  expect_that_all_learn(network, output);
  network.eval();
  EXPECT_THAT(network.features(torch::rand({1, 3, 32, 32})).sizes().vec(), ElementsAre(1, 64));
}

RC_GTEST_PROP(ConvAutoencoder, GivesBackTheLengthItWasGiven, ()) {
  const auto levels = *rc::gen::inRange<std::size_t>(1, 5);
  const auto length = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto kernel = *rc::gen::element<std::int64_t>(3, 5, 7);
  ConvAutoencoder network(
      {.channels = 2, .widths = std::vector<std::int64_t>(levels, 4), .embedding = 3, .kernel = kernel});
  const torch::Tensor x = torch::rand({2, 2, length});
  std::int64_t squeezed = length;
  for (std::size_t i = 0; i < levels; ++i) squeezed = (squeezed + 1) / 2;
  RC_ASSERT(network.encode(x).sizes() == torch::IntArrayRef({2, 3, squeezed}));
  RC_ASSERT(network.forward(x).sizes() == x.sizes());
}

TEST(ConvAutoencoder, LearnsToMakeWaves) {
  torch::manual_seed(1);
  ConvAutoencoder network({.channels = 1, .widths = {8, 16}, .embedding = 4});
  const torch::Tensor phases = torch::rand({32, 1, 1}) * 6.28;
  const torch::Tensor waves = torch::sin(torch::arange(50).reshape({1, 1, 50}) * 0.4 + phases);
  torch::optim::Adam optimizer(network.parameters(), 0.01);
  double loss = 0;
  for (int step = 0; step < 150; ++step) {
    optimizer.zero_grad();
    const torch::Tensor error = torch::mse_loss(network.forward(waves), waves);
    error.backward();
    optimizer.step();
    loss = error.item<double>();
  }
  EXPECT_LT(loss, 0.05) << "a tenth of the waves' own variance";
}

TEST(ConvAutoencoder, LearnsWithEveryParameter) {
  ConvAutoencoder network;
  EXPECT_THAT(network.named_parameters().keys(), testing::Contains("encoder.2.weight"));
  EXPECT_THAT(network.named_parameters().keys(), testing::Contains("decoder.0.bias"));
  expect_that_all_learn(network, network.forward(torch::rand({2, 1, 100})));
}

TEST(ConvAutoencoder, RefusesSizesThatMakeNoSense) {
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { ConvAutoencoder({.kernel = 4}); }), HasSubstr("kernel 4"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { ConvAutoencoder({.widths = {}}); }), HasSubstr("0 levels"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { ConvAutoencoder({.embedding = 0}); }), HasSubstr("embedding 0"));
}

}  // namespace
}  // namespace base
