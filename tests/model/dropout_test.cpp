#include "base/torch.h"

#include "base/model/dropout.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "base/log/error.h"
#include "base/model/flatten.h"

namespace base {
namespace {

TEST(FastDropout, DropsAsManyAsAskedAndKeepsTheMean) {
  torch::manual_seed(1);
  for (const double probability : {0.1, 0.25, 0.5, 0.9}) {
    const torch::Tensor y = fast_dropout(torch::ones({1000, 1000}), probability, true);
    EXPECT_NEAR(y.eq(0).to(torch::kDouble).mean().item<double>(), probability, 0.003);
    EXPECT_NEAR(y.mean(torch::kDouble).item<double>(), 1, 0.02);
    EXPECT_EQ(std::get<0>(y.max(1)).max().item<float>(), static_cast<float>(1 / (1 - probability)));
  }
}

TEST(FastDropout, HasNoPatternAlongRowsOrColumns) {
  torch::manual_seed(2);
  const torch::Tensor dropped = fast_dropout(torch::ones({512, 512}), 0.5, true).eq(0).to(torch::kDouble);
  // Of 512 fair draws the deviation of the mean is 0.022.
  EXPECT_LT((dropped.mean(0) - 0.5).abs().max().item<double>(), 0.12);
  EXPECT_LT((dropped.mean(1) - 0.5).abs().max().item<double>(), 0.12);
  // Neighbours, near and far, are independent of each other.
  const torch::Tensor flat = dropped.flatten() - 0.5;
  for (const std::int64_t lag : {1, 2, 3, 4, 8, 16, 64, 512, 4096}) {
    const auto size = flat.size(0) - lag;
    EXPECT_NEAR((flat.slice(0, 0, size) * flat.slice(0, lag)).mean().item<double>() * 4, 0, 0.01)
        << "at a distance of " << lag;
  }
}

TEST(FastDropout, IsNewEachTimeAndRepeatsWithTheSeed) {
  const torch::Tensor x = torch::ones({100, 100});
  torch::manual_seed(3);
  const torch::Tensor first = fast_dropout(x, 0.5, true);
  const torch::Tensor second = fast_dropout(x, 0.5, true);
  EXPECT_FALSE(first.equal(second));
  EXPECT_NEAR((first * second).mean().item<double>(), 1, 0.05) << "two calls are independent of each other";
  torch::manual_seed(3);
  EXPECT_TRUE(fast_dropout(x, 0.5, true).equal(first));
}

TEST(FastDropout, IsTheSameForAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  const torch::Tensor x = torch::ones({1000, 300});
  at::set_num_threads(1);
  torch::manual_seed(4);
  const torch::Tensor alone = fast_dropout(x, 0.3, true);
  at::set_num_threads(4);
  torch::manual_seed(4);
  EXPECT_TRUE(fast_dropout(x, 0.3, true).equal(alone));
  at::set_num_threads(threads);
}

TEST(FastDropout, GivesTheGradientToWhatItKeptInAnyLayout) {
  for (const auto layout : {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast}) {
    const torch::Tensor x = torch::randn({4, 3, 5, 5}).contiguous(layout).requires_grad_();
    const torch::Tensor y = fast_dropout(x, 0.4, true);
    EXPECT_EQ(y.strides(), x.strides());
    const torch::Tensor weights = torch::randn({4, 3, 5, 5});  // not in the layout of x
    (y * weights).sum().backward();
    const torch::Tensor expected = torch::where(y.eq(0), torch::zeros({}), weights / 0.6F);
    EXPECT_TRUE(x.grad().allclose(expected, 1e-5, 1e-6));
  }
}

TEST(FastDropout, LeavesEverythingAloneOutsideOfTraining) {
  const torch::Tensor x = torch::randn({10});
  EXPECT_TRUE(fast_dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(fast_dropout(x, 0, true).is_same(x));
}

TEST(FastDropout, TakesViewsEmptyTensorsAndOtherTypes) {
  const torch::Tensor view = torch::ones({10, 10}).slice(1, 0, 10, 2);
  EXPECT_EQ(fast_dropout(view, 0.5, true).sizes(), view.sizes());
  EXPECT_EQ(fast_dropout(torch::zeros({0, 3}), 0.5, true).numel(), 0);
  EXPECT_EQ(fast_dropout(torch::ones({100}, torch::kBFloat16), 0.5, true).scalar_type(), torch::kBFloat16);
}

TEST(FastDropout, RefusesProbabilitiesThatAreNone) {
  EXPECT_THROW(fast_dropout(torch::ones({1}), -0.1, true), Error);
  EXPECT_THROW(fast_dropout(torch::ones({1}), 1, true), Error);
  EXPECT_THROW(fast_dropout(torch::ones({1}), std::nan(""), true), Error);
}

TEST(FlattenPictures, GivesTheGradientBackInTheLayoutOfThePictures) {
  const torch::Tensor leaf = torch::randn({2, 3, 4, 4}).contiguous(torch::MemoryFormat::ChannelsLast).requires_grad_();
  torch::Tensor seen;
  const torch::Tensor x = leaf * 1;
  const torch::Tensor y = flatten_pictures(x);
  EXPECT_TRUE(y.equal(leaf.flatten(1)));
  x.register_hook([&](const torch::Tensor& gradient) { seen = gradient; });
  (y * torch::arange(48)).sum().backward();
  EXPECT_TRUE(seen.is_contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(leaf.grad().equal(torch::arange(48, torch::kFloat).view({3, 4, 4}).expand({2, 3, 4, 4})));
}

}  // namespace
}  // namespace base
