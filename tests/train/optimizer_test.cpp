#include "base/torch.h"

#include "base/train/optimizer.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <torch/optim.h>

#include "base/config/settings.h"
#include "base/log/error.h"

namespace base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

torch::Tensor parameter(torch::IntArrayRef shape, torch::ScalarType type = torch::kFloat) {
  return torch::randn(shape, type).requires_grad_();
}

torch::Tensor copy_of(const torch::Tensor& tensor) {
  return tensor.detach().clone().requires_grad_();
}

void give_gradient(torch::Tensor& parameter, const torch::Tensor& gradient) {
  parameter.mutable_grad() = gradient.clone();
}

/// Relative to 1 at least: a parameter of a single number may have come close to zero, which its rounding has not.
double relative_error(const torch::Tensor& actual, const torch::Tensor& expected) {
  return ((actual - expected).norm() / expected.norm().clamp_min(1)).item<double>();
}

/// LibTorch's own optimizer of the same kind; a group each for the parameters.
std::unique_ptr<torch::optim::Optimizer> make_reference(const OptimizerSettings& settings,
                                                        const std::vector<ParameterGroup>& groups) {
  std::vector<torch::optim::OptimizerParamGroup> parts;
  for (const ParameterGroup& group : groups) {
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : group.parameters) tensors.push_back(tensor);
    const double rate = settings.learning_rate * group.learning_rate_factor;
    const double decay = group.weight_decay.value_or(settings.weight_decay);
    const std::tuple<double, double> betas{settings.beta1, settings.beta2};
    std::unique_ptr<torch::optim::OptimizerOptions> options;
    if (settings.kind == "sgd") {
      options = std::make_unique<torch::optim::SGDOptions>(
          torch::optim::SGDOptions(rate).momentum(settings.momentum).nesterov(settings.nesterov).weight_decay(decay));
    } else if (settings.kind == "adam") {
      options = std::make_unique<torch::optim::AdamOptions>(
          torch::optim::AdamOptions(rate).betas(betas).eps(settings.epsilon).weight_decay(decay));
    } else {
      options = std::make_unique<torch::optim::AdamWOptions>(
          torch::optim::AdamWOptions(rate).betas(betas).eps(settings.epsilon).weight_decay(decay));
    }
    parts.emplace_back(tensors, std::move(options));
  }
  // LibTorch takes an option that equals its class's default as not given: so the defaults here are those.
  if (settings.kind == "sgd") return std::make_unique<torch::optim::SGD>(parts, torch::optim::SGDOptions(1e-3));
  if (settings.kind == "adam") return std::make_unique<torch::optim::Adam>(parts);
  return std::make_unique<torch::optim::AdamW>(parts);
}

std::vector<ParameterGroup> copies_of(const std::vector<ParameterGroup>& groups) {
  std::vector<ParameterGroup> copies = groups;
  for (ParameterGroup& group : copies) {
    for (auto& [name, tensor] : group.parameters) tensor = copy_of(tensor);
  }
  return copies;
}

OptimizerSettings arbitrary_settings() {
  OptimizerSettings settings;
  settings.kind = *rc::gen::elementOf(std::vector<std::string>{"sgd", "adam", "adamw"});
  settings.learning_rate = *rc::gen::inRange(1, 100) / 1000.0;
  settings.weight_decay = *rc::gen::elementOf(std::vector<double>{0.0, 0.01, 0.3});
  settings.momentum = *rc::gen::elementOf(std::vector<double>{0.0, 0.5, 0.9});
  settings.nesterov = settings.momentum > 0 && *rc::gen::arbitrary<bool>();
  settings.beta1 = *rc::gen::elementOf(std::vector<double>{0.0, 0.8, 0.9});
  settings.beta2 = *rc::gen::elementOf(std::vector<double>{0.9, 0.999});
  settings.epsilon = *rc::gen::elementOf(std::vector<double>{1e-8, 1e-3});
  return settings;
}

RC_GTEST_PROP(Optimizer, EqualsLibTorchsOverFiftySteps, ()) {
  torch::manual_seed(*rc::gen::inRange(0, 1 << 30));
  const OptimizerSettings settings = arbitrary_settings();
  const auto type = *rc::gen::elementOf(std::vector<torch::ScalarType>{torch::kFloat, torch::kDouble});
  const bool sometimes_without = *rc::gen::arbitrary<bool>();
  const std::vector<ParameterGroup> groups = {
      {.parameters = {{"a", parameter({7, 5}, type)}, {"b", parameter({13}, type)}, {"c", parameter({}, type)}}},
      {.parameters = {{"d", parameter({3, 2, 3, 3}, type)}, {"e", parameter({1, 40}, type)}},
       .learning_rate_factor = 0.1,
       .weight_decay = 0.05}};
  std::vector<ParameterGroup> references = copies_of(groups);
  const auto optimizer = Optimizer::make(settings, groups);
  const auto reference = make_reference(settings, references);

  for (int step = 0; step < 50; ++step) {
    optimizer->zero_grad();
    reference->zero_grad();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t i = 0; i < groups[g].parameters.size(); ++i) {
        if (sometimes_without && torch::rand({}).item<double>() < 0.2) continue;
        torch::Tensor tensor = groups[g].parameters[i].tensor;
        const torch::Tensor gradient = torch::randn_like(tensor);
        give_gradient(tensor, gradient);
        give_gradient(references[g].parameters[i].tensor, gradient);
      }
    }
    optimizer->step(settings.learning_rate);
    reference->step();
  }
  const double tolerance = type == torch::kDouble ? 1e-12 : 5e-6;  // fifty steps, each rounded in another order
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = 0; i < groups[g].parameters.size(); ++i) {
      const auto error = relative_error(groups[g].parameters[i].tensor, references[g].parameters[i].tensor);
      RC_ASSERT(error < tolerance);
    }
  }
}

class OptimizerOfKind : public testing::TestWithParam<const char*> {
 protected:
  OptimizerOfKind() {
    torch::manual_seed(1);
    settings_.kind = GetParam();
    settings_.weight_decay = 0.01;
  }
  OptimizerSettings settings_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, OptimizerOfKind, testing::Values("sgd", "adam", "adamw"),
                         [](const auto& info) { return info.param; });

TEST_P(OptimizerOfKind, TakesGradientsLaidOutUnlikeTheirParameter) {
  torch::Tensor plain = parameter({8, 5, 3, 3});
  torch::Tensor last = plain.detach().clone(torch::MemoryFormat::ChannelsLast).requires_grad_();
  const auto optimizer = Optimizer::make(settings_, {{.parameters = {{"weight", last}}}});
  const auto reference = make_reference(settings_, {{.parameters = {{"weight", plain}}}});
  for (int step = 0; step < 5; ++step) {
    const torch::Tensor gradient = torch::randn({8, 5, 3, 3});
    give_gradient(plain, gradient);
    // Contiguous and channels_last by turns.
    give_gradient(last, step % 2 == 0 ? gradient : gradient.contiguous(torch::MemoryFormat::ChannelsLast));
    optimizer->step(settings_.learning_rate);
    reference->step();
  }
  ASSERT_TRUE(last.is_contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_LT(relative_error(last, plain), 1e-6);
}

TEST_P(OptimizerOfKind, FollowsAParameterThatIsLaidOutAnew) {
  torch::Tensor plain = parameter({8, 5, 3, 3});
  torch::Tensor turned = copy_of(plain);
  const auto optimizer = Optimizer::make(settings_, {{.parameters = {{"weight", turned}}}});
  const auto reference = make_reference(settings_, {{.parameters = {{"weight", plain}}}});
  for (int step = 0; step < 6; ++step) {
    if (step == 3) turned.set_data(turned.detach().contiguous(torch::MemoryFormat::ChannelsLast));
    const torch::Tensor gradient = torch::randn({8, 5, 3, 3});
    give_gradient(plain, gradient);
    turned.mutable_grad() = torch::empty_like(turned.detach()).copy_(gradient);
    optimizer->step(settings_.learning_rate);
    reference->step();
  }
  EXPECT_LT(relative_error(turned, plain), 1e-6);
}

TEST_P(OptimizerOfKind, LeavesFrozenParametersAndMovesThemOnceUnfrozen) {
  torch::Tensor frozen = parameter({4}), free = parameter({4});
  torch::Tensor frozen_reference = copy_of(frozen);
  const torch::Tensor before = frozen.detach().clone();
  const auto optimizer = Optimizer::make(settings_, {{.parameters = {{"frozen", frozen}, {"free", free}}}});
  frozen.requires_grad_(false);
  for (int step = 0; step < 3; ++step) {
    frozen.mutable_grad() = torch::ones({4});  // left from before it was frozen
    give_gradient(free, torch::ones({4}));
    optimizer->step(settings_.learning_rate);
  }
  EXPECT_TRUE(frozen.equal(before));
  State state;
  optimizer->save_state(state);
  EXPECT_FALSE(state.has("frozen.steps"));  // no memory is spent on it

  frozen.requires_grad_();
  const auto reference = make_reference(settings_, {{.parameters = {{"frozen", frozen_reference}}}});
  for (int step = 0; step < 3; ++step) {
    give_gradient(frozen, torch::ones({4}));
    give_gradient(frozen_reference, torch::ones({4}));
    optimizer->step(settings_.learning_rate);
    reference->step();
  }
  EXPECT_LT(relative_error(frozen, frozen_reference), 1e-6);
}

TEST_P(OptimizerOfKind, GoesOnExactlyFromItsStateInOtherGroupsAndLayouts) {
  const std::vector<ParameterGroup> whole = {{.parameters = {{"a", parameter({4, 3, 2, 2})}, {"b", parameter({9})}}},
                                             {.parameters = {{"never", parameter({2})}}}};
  const auto train = [&](Optimizer& optimizer, const std::vector<ParameterGroup>& groups, int from, int to) {
    for (int step = from; step < to; ++step) {
      torch::manual_seed(step);
      for (const char* name : {"a", "b"}) {
        if (step == 1 && *name == 'b') continue;  // so that the counts differ
        for (const ParameterGroup& group : groups) {
          for (auto [other, tensor] : group.parameters) {
            if (other == name) give_gradient(tensor, torch::randn(tensor.sizes()));
          }
        }
      }
      optimizer.step(settings_.learning_rate);
      optimizer.zero_grad();
    }
  };
  const auto optimizer = Optimizer::make(settings_, whole);
  train(*optimizer, whole, 0, 3);

  const torch::Tensor a = whole[0].parameters[0].tensor.detach().clone(torch::MemoryFormat::ChannelsLast);
  const std::vector<ParameterGroup> resumed = {
      {.parameters = {{"never", copy_of(whole[1].parameters[0].tensor)}, {"a", a.requires_grad_()}}},
      {.parameters = {{"b", copy_of(whole[0].parameters[1].tensor)}}}};
  State state;
  optimizer->save_state(state);
  const auto other = Optimizer::make(settings_, resumed);
  other->load_state(state);

  train(*optimizer, whole, 3, 6);
  train(*other, resumed, 3, 6);
  EXPECT_TRUE(resumed[0].parameters[1].tensor.equal(whole[0].parameters[0].tensor));
  EXPECT_TRUE(resumed[1].parameters[0].tensor.equal(whole[0].parameters[1].tensor));
}

TEST_P(OptimizerOfKind, DoesNothingInAStepWithFoundInf) {
  torch::Tensor weight = parameter({5}), reference_weight = copy_of(weight);
  const auto optimizer = Optimizer::make(settings_, {{.parameters = {{"weight", weight}}}});
  const auto reference = make_reference(settings_, {{.parameters = {{"weight", reference_weight}}}});
  const auto step = [&](const torch::Tensor& gradient, float found_inf) {
    give_gradient(weight, gradient);
    optimizer->step(settings_.learning_rate, torch::tensor(found_inf));
    if (found_inf == 1) return;
    give_gradient(reference_weight, gradient);
    reference->step();
  };
  const torch::Tensor before = weight.detach().clone();
  step(torch::full({5}, INFINITY), 1);  // the very first one, which sets the momentum up
  EXPECT_TRUE(weight.equal(before));
  step(torch::ones({5}), 0);
  step(torch::full({5}, NAN), 1);
  step(torch::ones({5}), 0);
  EXPECT_LT(relative_error(weight, reference_weight), 1e-6);
}

TEST_P(OptimizerOfKind, MovesWeightsOfSeveralTypesInOneGroup) {
  torch::Tensor single = parameter({33}), wide = copy_of(single.to(torch::kDouble));
  torch::Tensor half = copy_of(single.to(torch::kBFloat16));
  torch::Tensor expected = copy_of(wide);
  settings_.learning_rate = 0.1;
  const auto optimizer =
      Optimizer::make(settings_, {{.parameters = {{"single", single}, {"wide", wide}, {"half", half}}}});
  const auto reference = make_reference(settings_, {{.parameters = {{"expected", expected}}}});
  for (int step = 0; step < 3; ++step) {
    for (torch::Tensor* tensor : {&single, &wide, &half, &expected}) {
      give_gradient(*tensor, torch::linspace(-1, 1, 33).to(tensor->scalar_type()));
    }
    optimizer->step(settings_.learning_rate);
    reference->step();
  }
  EXPECT_LT(relative_error(wide, expected), 1e-12);
  EXPECT_LT(relative_error(single.to(torch::kDouble), expected), 1e-6);
  EXPECT_LT(relative_error(half.to(torch::kDouble), expected), 2e-2);
}

TEST(Optimizer, ForgetsGradientsAndHoldsOnToNone) {
  torch::Tensor weight = parameter({5});
  const auto optimizer = Optimizer::make({}, {{.parameters = {{"weight", weight}}}});
  const torch::Tensor gradient = torch::ones({5});
  weight.mutable_grad() = gradient;
  optimizer->step(0.1);
  EXPECT_EQ(gradient.use_count(), 2);
  optimizer->zero_grad();
  EXPECT_FALSE(weight.grad().defined());
  EXPECT_EQ(gradient.use_count(), 1);
  const torch::Tensor before = weight.detach().clone();
  optimizer->step(0.1);  // without any gradient
  EXPECT_TRUE(weight.equal(before));
}

TEST(Optimizer, MovesSharedWeightsOnce) {
  torch::Tensor weight = parameter({5});
  const torch::Tensor before = weight.detach().clone();
  const auto optimizer = Optimizer::make({.kind = "sgd"}, {{.parameters = {{"encoder", weight}, {"decoder", weight}}}});
  give_gradient(weight, torch::ones({5}));
  optimizer->step(0.5);
  EXPECT_TRUE(weight.equal(before - 0.5));
  EXPECT_EQ(optimizer->groups()[0].parameters.size(), 1);
}

TEST(Optimizer, StepsWithTheLearningRateOfTheMomentTimesTheGroups) {
  torch::Tensor slow = parameter({1}), fast = parameter({1});
  const torch::Tensor slow_before = slow.detach().clone(), fast_before = fast.detach().clone();
  const auto optimizer = Optimizer::make(
      {.kind = "sgd", .momentum = 0},
      {{.parameters = {{"slow", slow}}, .learning_rate_factor = 0.25}, {.parameters = {{"fast", fast}}}});
  for (const double rate : {1.0, 0.5}) {
    give_gradient(slow, torch::ones({1}));
    give_gradient(fast, torch::ones({1}));
    optimizer->step(rate);
  }
  EXPECT_NEAR((slow_before - slow).item<double>(), 0.375, 1e-6);
  EXPECT_NEAR((fast_before - fast).item<double>(), 1.5, 1e-6);
}

TEST(Optimizer, LeavesTheNumberOfThreadsAsItWas) {
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  torch::Tensor weight = parameter({5});
  give_gradient(weight, torch::ones({5}));
  Optimizer::make({}, {{.parameters = {{"weight", weight}}}})->step(0.1);
  EXPECT_EQ(at::get_num_threads(), 3);
  at::set_num_threads(before);
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

TEST(Optimizer, RefusesWrongSettings) {
  EXPECT_THAT(refusal(ErrorKind::kConfig, [] { Optimizer::make({.kind = "adagrad"}, {}); }),
              AllOf(HasSubstr("no such optimizer: adagrad"), HasSubstr("sgd, adam, adamw")));
  EXPECT_THAT(
      refusal(ErrorKind::kConfig, [] { Optimizer::make({.kind = "sgd", .momentum = 0, .nesterov = true}, {}); }),
      AllOf(HasSubstr("momentum = 0"), HasSubstr("optimizer.nesterov = false")));
}

TEST(Optimizer, RefusesParametersItCannotMove) {
  EXPECT_THAT(refusal(ErrorKind::kInternal,
                      [] {
                        Optimizer::make({}, {{.parameters = {{"a", parameter({1})}, {"a", parameter({2})}}}});
                      }),
              HasSubstr("one name: a"));

  torch::Tensor embedding = parameter({5, 2});
  const auto optimizer = Optimizer::make({}, {{.parameters = {{"embedding", embedding}}}});
  const auto sparse = torch::nn::functional::EmbeddingFuncOptions().sparse(true);
  torch::nn::functional::embedding(torch::tensor({1, 2}), embedding, sparse).sum().backward();
  const auto step = [&] { optimizer->step(0.1); };
  EXPECT_THAT(refusal(ErrorKind::kInternal, step), AllOf(HasSubstr("sparse"), HasSubstr("embedding")));
  give_gradient(embedding, torch::ones({5, 2}));
  EXPECT_NO_THROW(step());

  torch::Tensor part = torch::randn({4, 4}).slice(1, 0, 2).requires_grad_();
  const auto gapped = Optimizer::make({}, {{.parameters = {{"part", part}}}});
  give_gradient(part, torch::ones({4, 2}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(refusal(ErrorKind::kInternal, [&] { gapped->step(0.1); }), HasSubstr("without gaps: part"));
  }
}

TEST(Optimizer, ListsAllThatDoesNotMatchInAState) {
  const auto trained = [](std::vector<NamedParameter> parameters, const OptimizerSettings& settings) {
    for (auto& [name, tensor] : parameters) give_gradient(tensor, torch::ones_like(tensor));
    const auto optimizer = Optimizer::make(settings, {{.parameters = parameters}});
    optimizer->step(0.1);
    State state;
    optimizer->save_state(state);
    return state;
  };
  torch::Tensor same = parameter({2}), head = parameter({12, 4});
  const auto optimizer =
      Optimizer::make({}, {{.parameters = {{"same", same}, {"head", head}, {"new", parameter({1})}}}});
  give_gradient(same, torch::ones({2}));
  optimizer->step(0.1);
  const auto load = [&](const State& state) {
    return refusal(ErrorKind::kCheckpoint, [&] { optimizer->load_state(state); });
  };
  EXPECT_THAT(load(trained({{"same", parameter({2})}, {"head", parameter({10, 4})}, {"old", parameter({3})}}, {})),
              AllOf(HasSubstr("the optimizer does not fit"), HasSubstr("head is [10, 4] in the checkpoint and [12, 4]"),
                    HasSubstr("new is not in the checkpoint"), HasSubstr("old.exp_avg is only in the checkpoint"),
                    testing::Not(HasSubstr("same"))));
  EXPECT_THAT(load(trained({}, {.kind = "sgd"})), AllOf(HasSubstr("sgd, not adamw"), HasSubstr("optimizer.kind")));
  EXPECT_THAT(load(State()), HasSubstr("kind"));

  // Damaged: the shapes are right and the rest is not.
  State damaged = trained({{"same", parameter({2})}, {"head", parameter({12, 4})}, {"new", parameter({1})}}, {});
  damaged.set("same.steps", torch::tensor({1.0, 2.0}));
  damaged.set("head.exp_avg", torch::zeros({4, 12}));
  damaged.set("new.steps", torch::tensor(NAN));
  EXPECT_THAT(load(damaged), AllOf(HasSubstr("same.steps is not a count"), HasSubstr("new.steps is not a count"),
                                   HasSubstr("head.exp_avg is [4, 12] in the checkpoint")));

  // What was refused changed nothing.
  State state;
  optimizer->save_state(state);
  EXPECT_EQ(state.get<torch::Tensor>("same.steps").item<double>(), 1);
  EXPECT_FALSE(state.has("head.steps"));
}

TEST(Optimizer, ShowsOnlySomeOfManyMismatches) {
  std::vector<NamedParameter> many;
  for (int i = 0; i < 100; ++i) many.push_back({"layer" + std::to_string(i), parameter({1})});
  State state;
  Optimizer::make({}, {})->save_state(state);
  const std::string text =
      refusal(ErrorKind::kCheckpoint, [&] { Optimizer::make({}, {{.parameters = many}})->load_state(state); });
  EXPECT_THAT(text, AllOf(HasSubstr("layer7 is"), HasSubstr("and 92 more"), testing::Not(HasSubstr("layer8 is"))));
}

TEST(OptimizerSettings, AreKnobsWithChecks) {
  OptimizerSettings settings;
  ASSERT_TRUE(load_settings(settings, {"--kind", "sgd", "--nesterov"}, {.environment_prefix = ""}));
  EXPECT_TRUE(settings.nesterov);
  for (const auto& wrong : std::vector<std::vector<std::string>>{
           {"--kind", "adagrad"}, {"--learning_rate", "-1"}, {"--beta1", "1"}, {"--momentum", "1.5"}}) {
    EXPECT_THROW((void)load_settings(settings, wrong, {.environment_prefix = ""}), Error) << wrong[0];
  }
}

}  // namespace
}  // namespace base
