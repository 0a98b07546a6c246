#include "base/torch.h"

#include "base/model/cross_entropy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

namespace base {
namespace {

RC_GTEST_PROP(CrossEntropy, IsThatOfLibTorch, (std::uint32_t seed)) {
  torch::manual_seed(seed);
  const auto size = [](int most) { return static_cast<std::int64_t>(*rc::gen::inRange(1, most)); };
  const std::int64_t examples = size(60), classes = size(60);  // sometimes too many to do by hand
  const torch::Tensor logits = (torch::randn({examples, classes}) * 20).requires_grad_();
  const torch::Tensor labels = torch::randint(classes, {examples}, torch::kLong);
  const torch::Tensor ours = cross_entropy(logits, labels);
  const torch::Tensor theirs = torch::cross_entropy_loss(logits, labels);
  RC_ASSERT(ours.sizes() == theirs.sizes());
  RC_ASSERT(torch::allclose(ours, theirs, 1e-5, 1e-6));
  const auto gradient = [&](const torch::Tensor& loss) { return torch::autograd::grad({loss * 3}, {logits})[0]; };
  RC_ASSERT(torch::allclose(gradient(ours), gradient(theirs), 1e-4, 1e-6));
}

TEST(CrossEntropy, HasGradientsOfGradients) {
  const torch::Tensor logits = torch::randn({4, 3}, torch::requires_grad());
  const torch::Tensor labels = torch::tensor({0, 2, 1, 2}, torch::kLong);
  const auto penalty = [&](const torch::Tensor& loss) {
    const auto gradient = torch::autograd::grad({loss.square()}, {logits}, {}, /*retain=*/true, /*create_graph=*/true);
    return torch::autograd::grad({gradient[0].square().sum()}, {logits})[0];
  };
  EXPECT_TRUE(torch::allclose(penalty(cross_entropy(logits, labels)),
                              penalty(torch::cross_entropy_loss(logits, labels)), 1e-4, 1e-6));
}

TEST(CrossEntropy, PassesOnWhatIsNoNumber) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    torch::Tensor logits = torch::zeros({2, 3});
    logits[1][2] = bad;
    EXPECT_TRUE(cross_entropy(logits.requires_grad_(), torch::tensor({0, 1}, torch::kLong)).isnan().item<bool>());
  }
}

TEST(CrossEntropy, LeavesToLibTorchWhatItKnowsBetter) {
  const torch::Tensor logits = torch::randn({3, 4}, torch::requires_grad());
  const torch::Tensor left_out = torch::tensor({1, -100, 2}, torch::kLong);
  EXPECT_TRUE(torch::equal(cross_entropy(logits, left_out), torch::cross_entropy_loss(logits, left_out)));
  EXPECT_THROW(cross_entropy(logits, torch::tensor({1, 4, 2}, torch::kLong)), c10::Error);
  EXPECT_EQ(cross_entropy(logits.to(torch::kDouble), left_out).scalar_type(), torch::kDouble);
  const torch::Tensor shares = torch::ones({3, 4}) / 4;  // labels of another kind
  EXPECT_TRUE(torch::equal(cross_entropy(logits, shares), torch::cross_entropy_loss(logits, shares)));
}

}  // namespace
}  // namespace base
