#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "base/export/calibration.h"
#include "base/export/onnx_tensor.h"
#include "base/export/range_observer.h"
#include "tests/export/graphs.h"
#include "tests/tensor/message_of.h"

namespace {

using base::best_cut;
using base::DType;
using base::Range;
using base::RangeMethod;
using base::RangeObserver;
using base::TensorView;

constexpr base::RangeOptions kEntropy{.method = RangeMethod::kEntropy};

base::RangeOptions percentile(double percent) {
  return {.method = RangeMethod::kPercentile, .percentile = percent};
}

std::vector<float> normal(std::size_t count, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

RangeObserver observed(std::span<const float> values) {
  RangeObserver observer;
  observer.observe(values);
  return observer;
}

TEST(RangeObserver, HasAllThatWasSeen) {
  RangeObserver observer;
  EXPECT_EQ(observer.range(), (Range{0, 0}));
  observer.observe(std::vector{1.F, 2.F});
  EXPECT_EQ(observer.range(), (Range{1, 2}));
  observer.observe(std::vector{-5.F, 0.F});
  EXPECT_EQ(observer.range(), (Range{-5, 2}));
  EXPECT_EQ(observer.count(), 4U);
}

TEST(RangeObserver, LeavesOutWhatIsNotFinite) {
  const auto observer = observed(std::vector{1.F, NAN, INFINITY, -INFINITY, -2.F});
  EXPECT_EQ(observer.range(), (Range{-2, 1}));
  EXPECT_EQ(observer.count(), 2U);
  EXPECT_EQ(observer.count_not_finite(), 3U);
}

TEST(RangeObserver, HasARangeOfZerosToo) {
  const auto observer = observed(std::vector<float>(100));
  EXPECT_EQ(observer.range(kEntropy), (Range{0, 0}));
  EXPECT_EQ(observer.range(percentile(99)), (Range{0, 0}));
}

TEST(RangeObserver, CutsOffTheOutermostPercents) {
  std::vector<float> values;
  for (int i = 1; i <= 1000; ++i) values.push_back(static_cast<float>(i) / 1000);
  const Range half = observed(values).range(percentile(90));  // 5 % from each end; nothing is below zero
  EXPECT_NEAR(half.most, 0.95, 1e-3);
  for (int i = 1; i <= 1000; ++i) values.push_back(static_cast<float>(-i) / 500);
  const Range both = observed(values).range(percentile(90));
  EXPECT_NEAR(both.least, -1.8, 2e-3);
  EXPECT_NEAR(both.most, 0.9, 2e-3);
  EXPECT_EQ(observed(values).range(percentile(100)), (Range{-2, 1}));
}

TEST(RangeObserver, KnowsPercentilesOfANormalDistribution) {
  const Range range = observed(normal(200'000)).range(percentile(95));
  EXPECT_NEAR(range.least, -1.96, 0.02);
  EXPECT_NEAR(range.most, 1.96, 0.02);
}

TEST(RangeObserver, SeesTheSameInManyBatchesOfGrowingValues) {
  std::vector<float> values = normal(50'000);
  const Range at_once = observed(values).range(percentile(99));
  std::ranges::sort(values, {}, [](float value) { return std::fabs(value); });  // the histogram widens again and again
  RangeObserver observer;
  for (std::size_t i = 0; i < values.size(); i += 1000) observer.observe(std::span(values).subspan(i, 1000));
  EXPECT_EQ(observer.range(), observed(values).range());
  EXPECT_NEAR(observer.range(percentile(99)).least, at_once.least, 0.01);
  EXPECT_NEAR(observer.range(percentile(99)).most, at_once.most, 0.01);
}

TEST(RangeObserver, EntropyCutsOffOneOutlierButNotTheBulk) {
  std::vector<float> values = normal(100'000);
  values.push_back(60.F);
  const Range range = observed(values).range(kEntropy);
  EXPECT_LT(range.most, 20);  // with 60, half of the steps would hold nothing
  EXPECT_GT(range.most, 2.5);
  EXPECT_LT(range.least, -2.5);
}

TEST(RangeObserver, EntropyKeepsWhatMattersOfFewValues) {
  for (const std::size_t count : {2'000U, 20'000U, 200'000U}) {
    std::vector<float> values = normal(count);
    const Range all = observed(values).range(kEntropy);
    EXPECT_GT(all.most, 2.5) << count;
    for (float& value : values) value = std::max(value, 0.F);  // a ReLU: half of the values are zeros
    EXPECT_GT(observed(values).range(kEntropy).most, 2.5) << count;
  }
}

TEST(RangeObserver, EntropyKeepsAllOfAnEvenDistribution) {
  std::vector<float> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 100'000.F;
  const Range range = observed(values).range(kEntropy);
  EXPECT_EQ(range.least, 0);
  EXPECT_GT(range.most, 0.97);
}

TEST(BestCut, KeepsAtLeastTheLevelsAndNoEmptyTail) {
  std::vector<std::uint64_t> bins(512, 0);
  bins[3] = 10;
  EXPECT_EQ(best_cut(bins, 128), 128U);
  std::fill(bins.begin(), bins.begin() + 256, 5);  // two bins a level, all alike: nothing is lost
  EXPECT_EQ(best_cut(bins, 128), 256U);
}

// The textbook's sum, for a histogram that is small enough to write out.
TEST(BestCut, ChoosesTheLeastDivergence) {
  const auto divergence = [&](const std::vector<double>& original, const std::vector<double>& rounded) {
    const double all = std::accumulate(original.begin(), original.end(), 0.0);
    const double inside = std::accumulate(rounded.begin(), rounded.end(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < original.size(); ++i)
      if (original[i] > 0) sum += original[i] / all * std::log(original[i] / all / (rounded[i] / inside));
    return sum;
  };
  const std::vector<std::uint64_t> bins = {800'000, 400'000, 200'000, 100'000, 0, 1'000};
  // Two levels: all six bins as {8 4 2 | 1 0 .01}, four as {8 4 | 2 1 and what is beyond}, and so on.
  const std::map<double, std::size_t> cuts = {
      {divergence({8, 4, 2, 1, 0, .01}, {14 / 3., 14 / 3., 14 / 3., .505, 0, .505}), 6},
      {divergence({8, 4, 2, 1, .01}, {6, 6, 1.5, 1.5, 1e-9}), 5},
      {divergence({8, 4, 2, 1.01}, {6, 6, 1.5, 1.5}), 4},
      {divergence({8, 4, 3.01}, {8, 3, 3}), 3},
      {divergence({8, 7.01}, {8, 4}), 2}};
  EXPECT_EQ(cuts.begin()->second, 3U);  // the least of them
  EXPECT_EQ(best_cut(bins, 2), 3U);
}

RC_GTEST_PROP(RangeObserver, NeverGivesMoreThanWasSeen, (std::vector<float> values)) {
  const RangeObserver observer = observed(values);
  const Range all = observer.range();
  for (const auto& options : {percentile(99), percentile(50), kEntropy}) {
    const Range range = observer.range(options);
    RC_ASSERT(range.least >= all.least);
    RC_ASSERT(range.most <= all.most);
  }
}

// A runner that doubles its input, instead of an engine.
TEST(Calibrate, WatchesInputsAndValuesInBetween) {
  const base::OnnxGraph graph = export_test::mlp();
  std::vector<std::vector<float>> batches = {{1, -2, 3, 0, 0, 0, 0, 0}, {5, 0, 0, 0, 0, 0, 0, -1}};
  std::size_t next = 0;
  const base::CalibrationData data = [&]() -> std::optional<std::vector<TensorView>> {
    if (next == batches.size()) return std::nullopt;
    return std::vector<TensorView>{{"x", DType::kF32, {1, 8}, std::as_bytes(std::span(batches[next++]))}};
  };
  std::vector<float> doubled;
  std::vector<TensorView> answers;
  const base::OnnxLoad load = [&](const base::OnnxGraph& watched) -> base::OnnxRun {
    EXPECT_EQ(watched.signature.outputs.size(), 2U);
    return [&](std::span<const TensorView> inputs) -> std::span<const TensorView> {
      doubled.clear();
      for (const float number : base::to_floats({.view = inputs[0]})) doubled.push_back(2 * number);
      const TensorView view{"", DType::kF32, {1, 8}, std::as_bytes(std::span(doubled))};
      answers = {view, view};
      return answers;
    };
  };
  const base::Ranges ranges = calibrate(graph, load, data);
  EXPECT_EQ(ranges, (base::Ranges{{"x", {-2, 5}}, {"active", {-4, 10}}}));
  EXPECT_EQ(base::message_of(base::ErrorKind::kData, [&] { calibrate(graph, load, data); }),
            "data error: there is no data to calibrate with: mlp\n"
            "  fix: give some hundred examples of what the model will see");
}

}  // namespace
