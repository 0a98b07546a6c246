#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/metrics/accuracy.h"
#include "base/metrics/confusion.h"
#include "base/metrics/error.h"
#include "base/metrics/mean.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

torch::Tensor labels(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, torch::kLong);
}

TEST(Mean, WeighsValues) {
  Mean mean;
  mean.update(1.0);
  mean.update(4.0, 3);
  EXPECT_DOUBLE_EQ(13.0 / 4, mean.value());
  mean.update(torch::tensor({2.0F, 4.0F}), 2);  // each of them twice
  EXPECT_DOUBLE_EQ((13.0 + 12) / 8, mean.value());
  mean.update(torch::tensor(1.5F), 2);
  EXPECT_DOUBLE_EQ((13.0 + 12 + 3) / 10, mean.value());
  mean.update(torch::empty({0}));
  EXPECT_DOUBLE_EQ(2.8, mean.value());
}

TEST(Mean, AddsInDoublePrecision) {
  Mean mean;
  for (int i = 0; i < 1000; ++i) mean.update(torch::full({10}, 16777216.0F));
  mean.update(torch::ones({10}));
  EXPECT_DOUBLE_EQ((16777216.0 * 10000 + 10) / 10010, mean.value());
}

TEST(Mean, ShowsANaNButNotOneOfNoWeight) {
  Mean mean;
  mean.update(1.0);
  mean.update(kNaN, 0);
  mean.update(torch::full({2}, kNaN), 0);
  EXPECT_EQ(1, mean.value());
  mean.update(torch::tensor(kNaN));
  EXPECT_TRUE(std::isnan(mean.value()));
}

TEST(Mean, TakesATensorThatNeedsGradients) {
  Mean mean;
  mean.update(torch::ones({3}, torch::requires_grad()));
  mean.update(torch::ones({}, torch::requires_grad()));
  EXPECT_EQ(1, mean.value());
  EXPECT_FALSE(mean.totals().requires_grad());
}

TEST(Mean, RefusesANegativeWeight) {
  Mean mean;
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { mean.update(1.0, -2); }), HasSubstr("-2"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { mean.update(torch::ones({2}), kNaN); }), HasSubstr("weight"));
  EXPECT_TRUE(std::isnan(mean.value())) << "nothing counted";
}

TEST(Accuracy, TakesScoresOrClasses) {
  Accuracy of_scores;
  of_scores.update(torch::tensor({{0.1F, 0.9F}, {3.0F, -1.0F}, {0.0F, 1.0F}}), labels({1, 0, 0}));
  EXPECT_DOUBLE_EQ(2.0 / 3, of_scores.value());
  Accuracy of_classes;
  of_classes.update(torch::tensor({1, 0, 1}, torch::kInt32), torch::tensor({1, 0, 0}, torch::kUInt8));
  EXPECT_DOUBLE_EQ(2.0 / 3, of_classes.value());
  Accuracy of_yes_and_no;
  of_yes_and_no.update(torch::tensor({0.2, -0.1}) > 0, torch::tensor({true, true}));
  EXPECT_DOUBLE_EQ(0.5, of_yes_and_no.value());
}

TEST(Accuracy, TakesAClassForEachPixel) {
  Accuracy accuracy;
  accuracy.update(torch::tensor({{{0.0F, 1.0F}, {1.0F, 0.0F}}}), labels({1, 1}).reshape({1, 2}));  // [1, 2, 2]
  EXPECT_DOUBLE_EQ(0.5, accuracy.value());
}

TEST(Accuracy, TakesTheFirstOfEqualScores) {
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kBFloat16}) {
    Accuracy accuracy;
    accuracy.update(torch::zeros({4, 3}, type), labels({0, 1, 2, 0}));
    EXPECT_DOUBLE_EQ(0.5, accuracy.value());
  }
}

TEST(Accuracy, CountsScoresThatHoldANaNAsWrong) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const torch::Tensor scores = torch::tensor({{kNaN, kNaN}, {kNaN, 1.0}, {1.0, kNaN}, {0.0, 1.0}}).to(type);
    Accuracy accuracy;
    accuracy.update(scores, labels({0, 0, 1, 1}));
    EXPECT_DOUBLE_EQ(0.25, accuracy.value());
    accuracy.update(scores, labels({-1, -1, -1, -1}));
    EXPECT_DOUBLE_EQ(0.125, accuracy.value()) << "no label means NaN";
    TopK top(2);
    top.update(scores, labels({0, 0, 1, 1}));
    EXPECT_DOUBLE_EQ(0.25, top.value());
  }
}

TEST(Accuracy, TakesInfiniteScores) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Accuracy accuracy;
  accuracy.update(torch::tensor({{-kInfinity, -kInfinity}, {-kInfinity, 0.0F}, {0.0F, kInfinity}}), labels({0, 1, 1}));
  EXPECT_EQ(1, accuracy.value());
}

TEST(Accuracy, RefusesWhatDoesNotGoTogether) {
  Accuracy accuracy;
  const auto update = [&](const torch::Tensor& outputs, const torch::Tensor& wanted) {
    return message_of(ErrorKind::kUsage, [&] { accuracy.update(outputs, wanted); });
  };
  EXPECT_THAT(update(torch::zeros({4, 3}), labels({1, 2})), HasSubstr("float32 [4, 3] and int64 [2]"));
  EXPECT_THAT(update(torch::zeros({4, 3}), torch::zeros({4})), HasSubstr("do not go together"));
  EXPECT_THAT(update(torch::zeros({2}), labels({1, 0})), HasSubstr("do not go together"));
  EXPECT_THAT(update(torch::zeros({2, 0}), labels({1, 0})), HasSubstr("do not go together"));
  EXPECT_THAT(update(torch::zeros({2}), torch::tensor(1)), HasSubstr("do not go together"));
  EXPECT_THAT(update(torch::tensor(1), torch::tensor(1)), HasSubstr("do not go together"));
  EXPECT_THAT(update(torch::zeros({2, 3, 4}), labels({1, 2})), HasSubstr("do not go together"));
  EXPECT_TRUE(std::isnan(accuracy.value())) << "nothing counted";
}

TEST(TopK, CountsTheRightClassAmongTheFirst) {
  const torch::Tensor scores = torch::tensor({{0.1F, 0.5F, 0.4F}, {0.1F, 0.5F, 0.4F}, {0.1F, 0.5F, 0.4F}});
  TopK top(2);
  top.update(scores, labels({0, 1, 2}));
  EXPECT_DOUBLE_EQ(2.0 / 3, top.value());
  TopK all(10);  // more than there are
  all.update(scores, labels({0, 1, 2}));
  EXPECT_EQ(1, all.value());
  all.update(scores, labels({-1, 3, 2}));
  EXPECT_DOUBLE_EQ(4.0 / 6, all.value()) << "what is no class is not found";
}

TEST(TopK, RefusesWhatMakesNoSense) {
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { TopK top(0); }), HasSubstr("0"));
  TopK top(1);
  EXPECT_THAT(message_of(ErrorKind::kUsage,
                         [&] {
                           top.update(torch::zeros({2, 3, 4}), labels({1, 2}));
                         }),
              HasSubstr("[2, 3, 4]"));
}

TEST(ConfusionMatrix, HasARowForEachTrueClass) {
  ConfusionMatrix confusion(3);
  confusion.update(labels({0, 1, 1, 2, 0}), labels({0, 0, 1, 1, 2}));
  EXPECT_TRUE(torch::equal(torch::tensor({{1.0, 1.0, 0.0}, {0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}}, torch::kDouble),
                           confusion.matrix()));
  Results results;
  confusion.add_results("confusion", results);
  EXPECT_THAT(results, testing::ElementsAre(testing::Pair("confusion", 0.4)));
}

TEST(ConfusionMatrix, KeepsThoseApartThatCouldNotBeDecided) {
  ConfusionMatrix confusion(2);
  confusion.update(torch::tensor({{kNaN, 0.0}, {1.0, 0.0}}), labels({1, 0}));
  EXPECT_EQ(1, confusion.matrix().sum().item<double>());
  EXPECT_TRUE(torch::equal(torch::tensor({0.0, 1.0}, torch::kDouble), confusion.undecided()));
  Results results;
  confusion.add_results("c", results);
  EXPECT_EQ(0.5, results[0].second);
}

TEST(ConfusionMatrix, CountsNothingOfABatchWithALabelOutOfRange) {
  ConfusionMatrix confusion(3);
  EXPECT_THAT(message_of(ErrorKind::kData,
                         [&] {
                           confusion.update(labels({0, 1}), labels({0, 3}));
                         }),
              testing::AllOf(HasSubstr("out of range: 3"), HasSubstr("from 0 to 2")));
  EXPECT_THAT(message_of(ErrorKind::kData,
                         [&] {
                           confusion.update(labels({0, 1}), labels({0, -1}));
                         }),
              HasSubstr("out of range: -1"));
  EXPECT_THAT(message_of(ErrorKind::kUsage,
                         [&] {
                           confusion.update(torch::zeros({1, 4}) + torch::arange(4), labels({0}));
                         }),
              HasSubstr("3"));
  EXPECT_EQ(0, confusion.matrix().sum().item<double>());
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { ConfusionMatrix one(1); }), HasSubstr("classes"));
}

TEST(PrecisionRecall, LooksForClassOneOfTwo) {
  PrecisionRecall metric;
  //                    hit, hit, false alarm, miss, miss, miss, rightly none
  metric.update(labels({1, 1, 1, 0, 0, 0, 0}), labels({1, 1, 0, 1, 1, 1, 0}));
  const auto scores = metric.value();
  EXPECT_DOUBLE_EQ(2.0 / 3, scores.precision);
  EXPECT_DOUBLE_EQ(2.0 / 5, scores.recall);
  EXPECT_DOUBLE_EQ(0.5, scores.f1);
  Results results;
  metric.add_results("defect", results);
  EXPECT_EQ("defect_precision", results.at(0).first);
  EXPECT_EQ("defect_recall", results.at(1).first);
  EXPECT_EQ("defect_f1", results.at(2).first);
  EXPECT_EQ(3u, results.size());
}

TEST(PrecisionRecall, ShowsEachClassWhenAsked) {
  PrecisionRecall metric({.classes = 3, .per_class = true});
  metric.update(labels({0, 0, 1}), labels({0, 1, 1}));
  Results results;
  metric.add_results("m", results);
  ASSERT_EQ(12u, results.size());
  EXPECT_EQ("m_precision", results[0].first);
  EXPECT_DOUBLE_EQ(0.75, results[0].second) << "class 2 neither occurs nor is predicted: of the others";
  EXPECT_EQ("m_f1_0", results[5].first);
  EXPECT_DOUBLE_EQ(2.0 / 3, results[5].second);
  EXPECT_TRUE(std::isnan(results[11].second));
}

TEST(PrecisionRecall, MissesWhatCouldNotBeDecided) {
  PrecisionRecall metric;
  metric.update(torch::tensor({{0.0, kNaN}, {0.0, 1.0}}), labels({1, 1}));
  EXPECT_EQ(1, metric.value().precision);
  EXPECT_EQ(0.5, metric.value().recall);
}

TEST(MeanSquaredError, IsTheMeanOverAllElements) {
  MeanSquaredError mse;
  MeanAbsoluteError mae;
  const torch::Tensor predictions = torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}, torch::requires_grad());
  const torch::Tensor targets = torch::tensor({{1.0F, 0.0F}, {6.0F, 4.0F}});
  mse.update(predictions, targets);
  mae.update(predictions, targets);
  EXPECT_DOUBLE_EQ(13.0 / 4, mse.value());
  EXPECT_DOUBLE_EQ(5.0 / 4, mae.value());
}

TEST(MeanSquaredError, HoldsInEveryType) {
  MeanSquaredError mse;
  mse.update(torch::full({2}, 60000.0).to(torch::kHalf), torch::full({2}, -60000.0).to(torch::kHalf));
  EXPECT_NEAR(1.44e10, mse.value(), 1e8) << "half precision ends at 65504";
  MeanAbsoluteError mae;
  mae.update(torch::tensor({3, 200}, torch::kUInt8), torch::tensor({5, 100}, torch::kUInt8));
  EXPECT_EQ(51, mae.value()) << "no wrapping around";
}

TEST(MeanSquaredError, RefusesToBroadcast) {
  MeanSquaredError mse;
  EXPECT_THAT(message_of(ErrorKind::kUsage,
                         [&] {
                           mse.update(torch::zeros({4, 1}), torch::zeros({4}));
                         }),
              HasSubstr("float32 [4, 1] and float32 [4]"));
  EXPECT_TRUE(std::isnan(mse.value()));
}

TEST(MeanSquaredError, ShowsANaN) {
  MeanAbsoluteError mae;
  mae.update(torch::tensor({1.0, kNaN}), torch::zeros({2}));
  EXPECT_TRUE(std::isnan(mae.value()));
}

TEST(Metrics, AreNaNBeforeTheFirstUpdate) {
  Metrics metrics;
  metrics.get<Mean>("loss");
  metrics.get<Accuracy>("accuracy").update(torch::empty({0, 3}), torch::empty({0}, torch::kLong));
  metrics.get<TopK>("top5", 5);
  metrics.get<ConfusionMatrix>("confusion", 3);
  metrics.get<PrecisionRecall>("class", PrecisionRecall::Options{.classes = 4});
  metrics.get<PrecisionRecall>("two");
  metrics.get<MeanSquaredError>("mse");
  metrics.get<MeanAbsoluteError>("mae");
  const Results results = metrics.results();
  EXPECT_EQ(12u, results.size());
  for (const auto& [name, value] : results) EXPECT_TRUE(std::isnan(value)) << name;
}

TEST(Metrics, ShowsResultsInTheOrderTheyWereAskedFor) {
  Metrics metrics;
  metrics.get<Mean>("loss").update(2.0);
  metrics.get<Mean>("auxiliary").update(3.0);
  metrics.get<Mean>("loss").update(4.0);
  EXPECT_THAT(metrics.results(), testing::ElementsAre(testing::Pair("loss", 3), testing::Pair("auxiliary", 3)));
  metrics.reset();
  EXPECT_TRUE(std::isnan(metrics.results()[0].second));
}

TEST(Metrics, RefusesTwoKindsUnderOneName) {
  Metrics metrics;
  metrics.get<Mean>("loss");
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { metrics.get<Accuracy>("loss"); }), HasSubstr("loss"));
}

TEST(Metrics, MergesAndKeepsWhatOnlyOneHas) {
  Metrics a;
  Metrics b;
  a.get<Mean>("loss").update(1.0);
  a.get<Mean>("mine").update(5.0);
  b.get<Mean>("loss").update(4.0, 2);
  b.get<TopK>("theirs", 2).update(torch::tensor({{3.0, 2.0, 1.0}}), labels({1}));
  a.merge(b);
  EXPECT_THAT(a.results(),
              testing::ElementsAre(testing::Pair("loss", 3), testing::Pair("mine", 5), testing::Pair("theirs", 1)));
  a.get<TopK>("theirs", 2).update(torch::tensor({{3.0, 2.0, 1.0}}), labels({2}));
  EXPECT_EQ(1, b.get<TopK>("theirs", 2).value()) << "the totals are not shared";
  EXPECT_EQ(0.5, a.get<TopK>("theirs", 2).value()) << "and its k came along";
}

TEST(Metrics, GoOnWhereACheckpointStopped) {
  Metrics before;
  before.get<Mean>("loss").update(1.0);
  before.get<Accuracy>("accuracy").update(labels({1}), labels({1}));
  State state;
  before.save_state(state);

  Metrics after;
  after.get<Mean>("stale").update(7.0);
  after.get<Mean>("loss").update(100.0);
  after.load_state(state);
  EXPECT_EQ(1, after.get<Mean>("loss").value());
  EXPECT_TRUE(std::isnan(after.get<Mean>("stale").value()));

  State again;  // before accuracy is asked for
  after.save_state(again);
  EXPECT_EQ(1, again.get<torch::Tensor>("accuracy")[0].item<double>());

  after.get<Accuracy>("accuracy").update(labels({1}), labels({0}));
  EXPECT_EQ(0.5, after.get<Accuracy>("accuracy").value());
  EXPECT_EQ(1, before.get<Accuracy>("accuracy").value()) << "the totals are not shared";
}

TEST(Metrics, ForgetWhatWasRestoredWhenTheyAreReset) {
  Metrics metrics;
  State state;
  state.set("loss", torch::tensor({5.0, 1.0}, torch::kDouble));
  metrics.load_state(state);
  metrics.reset();
  EXPECT_TRUE(std::isnan(metrics.get<Mean>("loss").value()));
}

TEST(Metrics, RefuseTotalsOfAnotherSize) {
  Metrics metrics;
  metrics.get<ConfusionMatrix>("confusion", 3);
  State state;
  state.set("confusion", torch::zeros({2, 3}, torch::kDouble));
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, [&] { metrics.load_state(state); }), HasSubstr("[2, 3]"));
  Metrics later;
  later.load_state(state);
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, [&] { later.get<ConfusionMatrix>("confusion", 3); }),
              HasSubstr("as many classes"));
  Mean mean;
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, [&] { mean.merge(torch::zeros({1})); }), HasSubstr("[1]"))
      << "which would broadcast";
}

}  // namespace
}  // namespace base
