// Each metric against a reference written as its definition says, and merged from any split of the data.
#include "base/torch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/metrics/accuracy.h"
#include "base/metrics/confusion.h"
#include "base/metrics/error.h"
#include "base/metrics/mean.h"

namespace base {
namespace {

struct Sample {
  std::int64_t classes;
  torch::Tensor scores;  // [n, classes], with ties and now and then a NaN
  torch::Tensor labels;  // [n]

  std::int64_t size() const { return labels.size(0); }
  std::vector<double> row(std::int64_t i) const {
    std::vector<double> values(static_cast<std::size_t>(classes));
    for (std::int64_t c = 0; c < classes; ++c) values[static_cast<std::size_t>(c)] = scores[i][c].item<double>();
    return values;
  }
  std::int64_t label(std::int64_t i) const { return labels[i].item<std::int64_t>(); }
  // The classes from the likeliest to the least, nothing if a score is no number.
  std::vector<std::int64_t> ranking(std::int64_t i) const {
    const std::vector<double> values = row(i);
    if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) return {};
    std::vector<std::int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](auto a, auto b) { return values[a] > values[b]; });
    return order;
  }
};

Sample any_sample() {
  const auto classes = *rc::gen::inRange<std::int64_t>(2, 6);
  const auto size = *rc::gen::inRange<std::int64_t>(1, 25);
  const auto numbers =
      *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(size * classes), rc::gen::inRange(-4, 12));
  const auto labels = *rc::gen::container<std::vector<std::int64_t>>(static_cast<std::size_t>(size),
                                                                     rc::gen::inRange<std::int64_t>(0, classes));
  std::vector<double> scores;
  for (const int number : numbers) scores.push_back(number == 11 ? std::nan("") : 0.5 * number);
  const auto type = *rc::gen::element(torch::kFloat, torch::kDouble, torch::kBFloat16);
  return {.classes = classes,
          .scores = torch::tensor(scores, torch::kDouble).reshape({size, classes}).to(type),
          .labels = torch::tensor(labels)};
}

// The parts of a split, cut at random places.
std::vector<std::pair<std::int64_t, std::int64_t>> any_split(std::int64_t size) {
  auto cuts = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, size + 1));
  cuts.push_back(0);
  cuts.push_back(size);
  std::ranges::sort(cuts);
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) parts.emplace_back(cuts[i], cuts[i + 1] - cuts[i]);
  return parts;
}

// Counts are exact whatever the order; sums are but for rounding.
template <typename M, typename Update, typename... Arguments>
void check_split(std::int64_t size, double tolerance, const Update& update, Arguments... arguments) {
  M all(arguments...);
  update(all, 0, size);
  M merged(arguments...);
  M in_batches(arguments...);
  for (const auto& [begin, length] : any_split(size)) {
    M part(arguments...);
    update(part, begin, length);
    merged.merge(part.totals());
    update(in_batches, begin, length);
  }
  RC_ASSERT(torch::allclose(all.totals(), merged.totals(), tolerance, tolerance, /*equal_nan=*/true));
  RC_ASSERT(torch::allclose(all.totals(), in_batches.totals(), tolerance, tolerance, /*equal_nan=*/true));
}

template <typename M, typename... Arguments>
void check_split_of(const Sample& sample, Arguments... arguments) {
  check_split<M>(
      sample.size(), 0,
      [&](M& metric, std::int64_t begin, std::int64_t length) {
        metric.update(sample.scores.narrow(0, begin, length), sample.labels.narrow(0, begin, length));
      },
      arguments...);
}

RC_GTEST_PROP(MetricProperty, CountsMergeFromAnySplit, ()) {
  const Sample sample = any_sample();
  check_split_of<Accuracy>(sample);
  check_split_of<TopK>(sample, *rc::gen::inRange(1, 4));
  check_split_of<ConfusionMatrix>(sample, sample.classes);
  check_split_of<PrecisionRecall>(sample, PrecisionRecall::Options{.classes = sample.classes});
}

RC_GTEST_PROP(MetricProperty, SumsMergeFromAnySplit, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(1, 40);
  const torch::Tensor a = torch::randn({size, 2});
  const torch::Tensor b = torch::randn({size, 2});
  const auto update = [&](auto& metric, std::int64_t begin, std::int64_t length) {
    metric.update(a.narrow(0, begin, length), b.narrow(0, begin, length));
  };
  check_split<MeanSquaredError>(size, 1e-12, update);
  check_split<MeanAbsoluteError>(size, 1e-12, update);
  check_split<Mean>(size, 1e-12, [&](Mean& metric, std::int64_t begin, std::int64_t length) {
    metric.update(a.narrow(0, begin, length), 3);
  });
}

RC_GTEST_PROP(MetricProperty, AccuracyAndTopKFollowTheRanking, ()) {
  const Sample sample = any_sample();
  const auto k = *rc::gen::inRange<std::int64_t>(1, 4);
  double first = 0;
  double among = 0;
  for (std::int64_t i = 0; i < sample.size(); ++i) {
    const auto ranking = sample.ranking(i);
    const auto found = std::ranges::find(ranking, sample.label(i));
    first += found != ranking.end() && found == ranking.begin();
    among += found != ranking.end() && found - ranking.begin() < k;
  }
  Accuracy accuracy;
  TopK top(k);
  TopK one(1);
  accuracy.update(sample.scores, sample.labels);
  top.update(sample.scores, sample.labels);
  one.update(sample.scores, sample.labels);
  RC_ASSERT(accuracy.value() == first / static_cast<double>(sample.size()));
  RC_ASSERT(top.value() == among / static_cast<double>(sample.size()));
  RC_ASSERT(torch::equal(one.totals(), accuracy.totals()));
}

RC_GTEST_PROP(MetricProperty, AnyLayoutGivesTheSameCounts, ()) {
  const Sample sample = any_sample();
  Accuracy plain;
  Accuracy strided;
  Accuracy pixels;
  plain.update(sample.scores, sample.labels);
  strided.update(sample.scores.t().contiguous().t(), torch::stack({sample.labels, sample.labels}, 1).select(1, 0));
  pixels.update(sample.scores.t().unsqueeze(0), sample.labels.unsqueeze(0));  // [1, classes, n]
  RC_ASSERT(torch::equal(plain.totals(), strided.totals()));
  RC_ASSERT(torch::equal(plain.totals(), pixels.totals()));
}

RC_GTEST_PROP(MetricProperty, PrecisionAndRecallFollowTheirDefinition, ()) {
  const Sample sample = any_sample();
  PrecisionRecall metric({.classes = sample.classes});
  ConfusionMatrix confusion(sample.classes);
  metric.update(sample.scores, sample.labels);
  confusion.update(sample.scores, sample.labels);
  std::vector<PrecisionRecall::Scores> expected;
  double present = 0;
  PrecisionRecall::Scores mean{0, 0, 0};
  for (std::int64_t c = 0; c < sample.classes; ++c) {
    double hits = 0, alarms = 0, misses = 0;
    for (std::int64_t i = 0; i < sample.size(); ++i) {
      const auto ranking = sample.ranking(i);
      const bool predicted = !ranking.empty() && ranking[0] == c;
      const bool actual = sample.label(i) == c;
      hits += predicted && actual;
      alarms += predicted && !actual;
      misses += !predicted && actual;
    }
    RC_ASSERT(confusion.matrix()[c][c].item<double>() == hits);
    RC_ASSERT(confusion.matrix().select(1, c).sum().item<double>() == hits + alarms);
    RC_ASSERT(confusion.totals()[c].sum().item<double>() == hits + misses);
    const auto scores = metric.of_class(c);
    if (hits + alarms + misses == 0) {
      RC_ASSERT(std::isnan(scores.precision) && std::isnan(scores.recall) && std::isnan(scores.f1));
      continue;
    }
    const double precision = hits == 0 ? 0 : hits / (hits + alarms);
    const double recall = hits == 0 ? 0 : hits / (hits + misses);
    const double f1 = hits == 0 ? 0 : 2 * precision * recall / (precision + recall);
    RC_ASSERT(scores.precision == precision);
    RC_ASSERT(scores.recall == recall);
    RC_ASSERT(std::abs(scores.f1 - f1) < 1e-12);
    mean = {mean.precision + precision, mean.recall + recall, mean.f1 + f1};
    present += 1;
  }
  const auto value = metric.value();
  if (sample.classes == 2) {
    const auto one = metric.of_class(1);
    RC_ASSERT(value.f1 == one.f1 || (std::isnan(value.f1) && std::isnan(one.f1)));
  } else {
    RC_ASSERT(std::abs(value.precision - mean.precision / present) < 1e-12);
    RC_ASSERT(std::abs(value.recall - mean.recall / present) < 1e-12);
    RC_ASSERT(std::abs(value.f1 - mean.f1 / present) < 1e-12);
  }
}

}  // namespace
}  // namespace base
