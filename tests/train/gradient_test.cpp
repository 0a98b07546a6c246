#include "base/torch.h"

#include "base/train/gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/log/error.h"

namespace base {
namespace {

using testing::HasSubstr;

torch::Tensor parameter(const std::vector<float>& values, const std::vector<float>& gradient) {
  torch::Tensor tensor = torch::tensor(values).requires_grad_();
  tensor.mutable_grad() = torch::tensor(gradient);
  return tensor;
}

std::vector<float> gradient_of(const torch::Tensor& parameter) {
  const torch::Tensor gradient = parameter.grad().to(torch::kFloat).contiguous();
  return {gradient.data_ptr<float>(), gradient.data_ptr<float>() + gradient.numel()};
}

RC_GTEST_PROP(ClipGradientNorm, EqualsLibTorchs, ()) {
  torch::manual_seed(*rc::gen::inRange(0, 1 << 30));
  const double most = *rc::gen::inRange(1, 200) / 10.0;
  std::vector<ParameterGroup> groups(2);
  std::vector<torch::Tensor> references;
  for (int i = 0; i < 6; ++i) {
    torch::Tensor tensor = torch::randn({i, 3}).requires_grad_(i != 2);
    if (i != 3) tensor.mutable_grad() = torch::randn_like(tensor);
    groups[i % 2].parameters.push_back({"p" + std::to_string(i), tensor});
    if (i == 2 || i == 3) continue;  // frozen, and without a gradient
    references.push_back(torch::zeros_like(tensor).requires_grad_());
    references.back().mutable_grad() = tensor.grad().clone();
  }
  const torch::Tensor untouched = groups[0].parameters[1].tensor.grad().clone();
  const double expected = torch::nn::utils::clip_grad_norm_(references, most);
  const auto actual = clip_gradient_norm(groups, most).item<double>();
  RC_ASSERT(std::abs(actual - expected) < 1e-5 * expected);
  RC_ASSERT(groups[0].parameters[0].tensor.grad().allclose(references[0].grad(), 1e-5, 1e-6));
  RC_ASSERT(groups[1].parameters[0].tensor.grad().allclose(references[1].grad(), 1e-5, 1e-6));
  RC_ASSERT(groups[0].parameters[2].tensor.grad().allclose(references[2].grad(), 1e-5, 1e-6));
  RC_ASSERT(groups[1].parameters[2].tensor.grad().allclose(references[3].grad(), 1e-5, 1e-6));
  RC_ASSERT(groups[0].parameters[1].tensor.grad().equal(untouched));
}

TEST(ClipGradientNorm, ScalesLargeGradientsAndLeavesSmallOnes) {
  const torch::Tensor a = parameter({0}, {3}), b = parameter({0, 0}, {0, 4});
  const std::vector<ParameterGroup> groups = {{.parameters = {{"a", a}}}, {.parameters = {{"b", b}}}};
  EXPECT_FLOAT_EQ(clip_gradient_norm(groups, 10).item<float>(), 5);
  EXPECT_EQ(gradient_of(a), std::vector<float>{3});
  EXPECT_FLOAT_EQ(clip_gradient_norm(groups, 1).item<float>(), 5);
  EXPECT_NEAR(gradient_of(a)[0], 0.6, 1e-6);
  EXPECT_NEAR(gradient_of(b)[1], 0.8, 1e-6);
}

TEST(ClipGradientNorm, OfNoGradientsIsZero) {
  EXPECT_EQ(clip_gradient_norm({}, 1).item<double>(), 0);
  EXPECT_EQ(clip_gradient_norm({{.parameters = {{"a", torch::ones({2}).requires_grad_()}}}}, 1).item<double>(), 0);
}

TEST(ClipGradientNorm, OfAGradientThatIsNotFiniteIsNotFinite) {
  const torch::Tensor a = parameter({0}, {NAN});
  EXPECT_TRUE(clip_gradient_norm({{.parameters = {{"a", a}}}}, 1).isnan().item<bool>());
}

TEST(ClipGradientValue, LimitsEveryElement) {
  const torch::Tensor a = parameter({0, 0, 0}, {-3, 0.5, 2});
  clip_gradient_value({{.parameters = {{"a", a}, {"none", torch::ones({1}).requires_grad_()}}}}, 1);
  EXPECT_EQ(gradient_of(a), (std::vector<float>{-1, 0.5, 1}));
  clip_gradient_value({}, 1);
}

TEST(FindNotFinite, NamesTheFirstParameterOrGradient) {
  torch::Tensor a = parameter({1, 2}, {1, 2}), b = parameter({1, 2}, {1, 2});
  const torch::Tensor frozen = torch::ones({2});
  const std::vector<ParameterGroup> groups = {{.parameters = {{"frozen", frozen}, {"a", a}}},
                                              {.parameters = {{"b", b}}}};
  EXPECT_EQ(find_not_finite(groups), std::nullopt);
  b.mutable_grad()[1] = NAN;
  EXPECT_EQ(find_not_finite(groups), "b (gradient)");
  a.mutable_grad()[0] = -INFINITY;
  EXPECT_EQ(find_not_finite(groups), "a (gradient)");
  a.detach()[0] = INFINITY;
  EXPECT_EQ(find_not_finite(groups), "a");
}

class GradientScalerTest : public testing::Test {
 protected:
  double scale(const GradientScaler& scaler) { return scaler.scale(torch::ones({})).item<double>(); }
};

TEST_F(GradientScalerTest, ScaledTrainingEqualsUnscaled) {
  for (const bool clipped : {false, true}) {
    torch::manual_seed(3);
    torch::nn::Linear scaled(4, 3), plain(4, 3);
    plain->weight.set_data(scaled->weight.detach().clone());
    plain->bias.set_data(scaled->bias.detach().clone());
    const auto groups_of = [](const torch::nn::Linear& layer) {
      return std::vector<ParameterGroup>{{.parameters = {{"weight", layer->weight}, {"bias", layer->bias}}}};
    };
    const auto scaled_optimizer = Optimizer::make({}, groups_of(scaled));
    const auto plain_optimizer = Optimizer::make({}, groups_of(plain));
    GradientScaler scaler(torch::kCPU, {.growth_interval = 3});  // grows on the way
    for (int step = 0; step < 10; ++step) {
      const torch::Tensor input = torch::randn({8, 4});
      scaled_optimizer->zero_grad();
      plain_optimizer->zero_grad();
      scaler.scale(scaled(input).pow(2).mean()).backward();
      plain(input).pow(2).mean().backward();
      if (clipped) {
        scaler.unscale(scaled_optimizer->groups());
        clip_gradient_norm(scaled_optimizer->groups(), 0.1);
        clip_gradient_norm(plain_optimizer->groups(), 0.1);
      }
      scaler.step(*scaled_optimizer, 0.01);
      plain_optimizer->step(0.01);
    }
    // The scale is a power of two: not a bit is lost.
    EXPECT_TRUE(scaled->weight.equal(plain->weight)) << clipped;
    EXPECT_TRUE(scaled->bias.equal(plain->bias)) << clipped;
    EXPECT_EQ(scale(scaler), 65536.0 * 8);
  }
}

TEST_F(GradientScalerTest, SkipsAStepWithAnInfiniteGradientAndHalvesTheScale) {
  torch::Tensor good = parameter({1}, {8}), bad = parameter({1}, {8});
  torch::Tensor wide = torch::ones({2}, torch::kDouble).requires_grad_();  // of another type than the others
  const auto optimizer =
      Optimizer::make({.kind = "sgd"}, {{.parameters = {{"good", good}, {"bad", bad}, {"wide", wide}}}});
  GradientScaler scaler(torch::kCPU, {.initial = 8, .growth_interval = 2});
  const auto step = [&](double wide_gradient) {
    good.mutable_grad() = torch::full({1}, 8.0F);
    bad.mutable_grad() = torch::full({1}, 8.0F);
    wide.mutable_grad() = torch::full({2}, wide_gradient, torch::kDouble);
    scaler.step(*optimizer, 0.5);
  };
  step(INFINITY);
  EXPECT_EQ(good.item<float>(), 1);
  EXPECT_EQ(wide[0].item<double>(), 1);
  EXPECT_EQ(scale(scaler), 4);
  step(8);  // unscaled by 4
  EXPECT_EQ(good.item<float>(), 0);
  EXPECT_EQ(wide[0].item<double>(), 0);
  EXPECT_EQ(scale(scaler), 4);
  step(NAN);  // the count of good steps starts again
  EXPECT_EQ(scale(scaler), 2);
  step(1);
  EXPECT_EQ(scale(scaler), 2);
  step(1);
  EXPECT_EQ(scale(scaler), 4);
}

TEST_F(GradientScalerTest, RefusesToUnscaleTwiceInOneStep) {
  torch::Tensor weight = parameter({1}, {8});
  const auto optimizer = Optimizer::make({}, {{.parameters = {{"weight", weight}}}});
  GradientScaler scaler(torch::kCPU, {.initial = 8});
  scaler.unscale(optimizer->groups());
  EXPECT_EQ(gradient_of(weight), std::vector<float>{1});
  try {
    scaler.unscale(optimizer->groups());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    EXPECT_THAT(error.what(), HasSubstr("unscaled twice"));
  }
  scaler.step(*optimizer, 0.1);
  EXPECT_NO_THROW(scaler.unscale(optimizer->groups()));
}

TEST_F(GradientScalerTest, GoesOnExactlyFromItsState) {
  torch::Tensor weight = parameter({1}, {8});
  const auto optimizer = Optimizer::make({}, {{.parameters = {{"weight", weight}}}});
  GradientScaler scaler(torch::kCPU, {.initial = 12, .growth_interval = 3});
  for (int i = 0; i < 2; ++i) scaler.step(*optimizer, 0.1);
  State state;
  scaler.save_state(state);
  GradientScaler resumed(torch::kCPU, {.growth_interval = 3});
  resumed.load_state(state);
  EXPECT_EQ(scale(resumed), 12);
  resumed.step(*optimizer, 0.1);
  EXPECT_EQ(scale(resumed), 24);

  GradientScaler hasty(torch::kCPU, {.growth_interval = 1});  // its interval has passed already
  hasty.load_state(state);
  hasty.step(*optimizer, 0.1);
  EXPECT_EQ(scale(hasty), 24);
}

TEST_F(GradientScalerTest, RefusesADamagedState) {
  GradientScaler scaler(torch::kCPU, {});
  for (const double damaged : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    State state;
    state.set("scale", damaged);
    state.set("good_in_a_row", 0);
    try {
      scaler.load_state(state);
      ADD_FAILURE() << "no error with " << damaged;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCheckpoint);
    }
  }
  EXPECT_EQ(scale(scaler), 65536);
}

}  // namespace
}  // namespace base
