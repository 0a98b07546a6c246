#include "base/torch.h"

#include "base/train/weight_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/error.h"
#include "base/train/optimizer.h"

namespace base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Network : torch::nn::Module {
  Network() {
    torch::manual_seed(1);
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 3, 3)));
    norm = register_module("norm", torch::nn::BatchNorm2d(3));
    conv->weight.set_data(conv->weight.detach().contiguous(torch::MemoryFormat::ChannelsLast));
  }
  torch::Tensor forward(const torch::Tensor& x) { return norm(conv(x)).pow(2).mean(); }

  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
};

std::unique_ptr<Optimizer> make_optimizer(Network& network) {
  ParameterGroup group;
  for (const auto& parameter : network.named_parameters()) {
    group.parameters.push_back({parameter.key(), parameter.value()});
  }
  return Optimizer::make({}, {group});
}

void train(Network& network, Optimizer& optimizer, int seed) {
  torch::manual_seed(seed);
  optimizer.zero_grad();
  network.forward(torch::randn({4, 2, 5, 5})).backward();
  optimizer.step(0.1);
}

std::vector<torch::Tensor> weights_of(Network& network) {
  std::vector<torch::Tensor> weights;
  for (const torch::Tensor& parameter : network.parameters()) weights.push_back(parameter.detach().clone());
  return weights;
}

void expect_equal(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].equal(b[i])) << i;
}

TEST(WeightAverage, FollowsTheWeightsWithADecayThatRises) {
  Network network;
  const auto optimizer = make_optimizer(network);
  const double decay = 0.3;
  WeightAverage average(network, decay);
  std::vector<torch::Tensor> expected = weights_of(network);
  for (int step = 1; step <= 5; ++step) {
    train(network, *optimizer, step);
    average.update();
    const double d = std::min(decay, (1.0 + step) / (10.0 + step));  // 2/11, 3/12, then 0.3
    const std::vector<torch::Tensor> weights = weights_of(network);
    for (std::size_t i = 0; i < weights.size(); ++i) expected[i] = d * expected[i] + (1 - d) * weights[i];
  }
  const WeightAverage::Swap swap(average);
  const std::vector<torch::Tensor> actual = weights_of(network);
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_TRUE(actual[i].allclose(expected[i], 1e-6, 1e-7)) << i;
}

TEST(WeightAverage, SwapPutsTheAverageInAndTheWeightsBack) {
  Network network;
  const auto optimizer = make_optimizer(network);
  WeightAverage average(network, 0.9);
  for (int step = 0; step < 3; ++step) {
    train(network, *optimizer, step);
    average.update();
  }
  const std::vector<torch::Tensor> before = weights_of(network);
  const torch::Tensor gradient = network.conv->weight.grad();
  const torch::Tensor statistics = network.norm->running_mean.clone();
  const void* const memory = network.conv->weight.data_ptr();
  {
    const WeightAverage::Swap swap(average);
    EXPECT_FALSE(network.conv->weight.equal(before[0]));
    EXPECT_TRUE(network.conv->weight.is_contiguous(torch::MemoryFormat::ChannelsLast));
    EXPECT_TRUE(network.norm->running_mean.equal(statistics));
  }
  expect_equal(weights_of(network), before);
  EXPECT_EQ(network.conv->weight.data_ptr(), memory);  // nothing was copied
  EXPECT_TRUE(network.conv->weight.is_leaf());
  EXPECT_TRUE(network.conv->weight.requires_grad());
  EXPECT_TRUE(network.conv->weight.grad().is_same(gradient));
}

TEST(WeightAverage, TrainingGoesOnAfterASwapAsIfThereHadBeenNone) {
  Network swapped, plain;
  const auto swapped_optimizer = make_optimizer(swapped), plain_optimizer = make_optimizer(plain);
  WeightAverage swapped_average(swapped, 0.9), plain_average(plain, 0.9);
  for (int step = 0; step < 6; ++step) {
    train(swapped, *swapped_optimizer, step);
    train(plain, *plain_optimizer, step);
    swapped_average.update();
    plain_average.update();
    const WeightAverage::Swap swap(swapped_average);
    const torch::NoGradGuard no_grad;
    swapped.eval();
    swapped.forward(torch::ones({1, 2, 5, 5}));
    swapped.train();
  }
  expect_equal(weights_of(swapped), weights_of(plain));
  const WeightAverage::Swap one(swapped_average), other(plain_average);
  expect_equal(weights_of(swapped), weights_of(plain));
}

struct Tied : torch::nn::Module {
  Tied() {
    encoder = register_module("encoder", torch::nn::Linear(2, 2));
    decoder = register_module("decoder", encoder);
  }
  torch::nn::Linear encoder{nullptr}, decoder{nullptr};
};

TEST(WeightAverage, TakesSharedWeightsOnce) {
  Tied network;
  WeightAverage average(network, 0.5);
  const torch::Tensor before = network.encoder->weight.detach().clone();
  {
    const torch::NoGradGuard no_grad;
    network.encoder->weight.add_(1);
  }
  average.update();
  { const WeightAverage::Swap swap(average); }
  EXPECT_TRUE(network.encoder->weight.equal(before + 1));
}

TEST(WeightAverage, GoesOnExactlyFromItsState) {
  Network network;
  const auto optimizer = make_optimizer(network);
  WeightAverage whole(network, 0.999);
  for (int step = 0; step < 3; ++step) {
    train(network, *optimizer, step);
    whole.update();
  }
  State state;
  whole.save_state(state);
  WeightAverage resumed(network, 0.999);
  resumed.load_state(state);
  for (int step = 3; step < 5; ++step) {
    train(network, *optimizer, step);
    whole.update();
    resumed.update();
  }
  State expected, actual;
  whole.save_state(expected);
  resumed.save_state(actual);
  EXPECT_EQ(actual.get<std::int64_t>("updates"), 5);
  for (const auto& [name, tensor] : expected.tensors()) {
    EXPECT_TRUE(actual.get<torch::Tensor>(name).equal(tensor)) << name;
    EXPECT_FALSE(actual.get<torch::Tensor>(name).is_same(tensor)) << name;
  }
}

template <typename Body>
std::string refusal(ErrorKind kind, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

TEST(WeightAverage, ListsAllThatDoesNotMatchInAState) {
  Network network;
  WeightAverage average(network, 0.9);
  State state;
  average.save_state(state);
  State other;
  other.set("updates", 1);
  for (const auto& [name, tensor] : state.tensors()) {
    if (name != "conv.bias") other.set(name, name == "norm.weight" ? torch::ones({7}) : tensor + 1);
  }
  other.set("head", torch::ones({1}));
  EXPECT_THAT(refusal(ErrorKind::kCheckpoint, [&] { average.load_state(other); }),
              AllOf(HasSubstr("conv.bias is not in the checkpoint"), HasSubstr("norm.weight is float32 [7]"),
                    HasSubstr("head is only in the checkpoint")));
  const WeightAverage::Swap swap(average);  // what was refused changed nothing
  EXPECT_TRUE(network.conv->weight.equal(Network().conv->weight));
}

TEST(WeightAverage, RefusesToUpdateSaveLoadOrSwapWhileSwapped) {
  Network network;
  WeightAverage average(network, 0.9);
  State state;
  average.save_state(state);
  const std::vector<torch::Tensor> before = weights_of(network);
  {
    const WeightAverage::Swap swap(average);
    const auto expect_refusal = [](const auto& body) {
      EXPECT_THAT(refusal(ErrorKind::kInternal, body), HasSubstr("in place of the weights"));
    };
    expect_refusal([&] { average.update(); });
    expect_refusal([&] { average.save_state(state); });
    expect_refusal([&] { average.load_state(state); });
    expect_refusal([&] { const WeightAverage::Swap nested(average); });
  }
  expect_equal(weights_of(network), before);
}

}  // namespace
}  // namespace base
