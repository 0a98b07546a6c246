#include "base/torch.h"

#include "base/train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "base/config/settings.h"
#include "base/log/error.h"

namespace base {
namespace {

using testing::HasSubstr;

std::vector<double> factors(const ScheduleSettings& settings, std::int64_t total_steps, std::int64_t count) {
  const auto schedule = Schedule::make(settings, total_steps);
  std::vector<double> factors;
  for (std::int64_t step = 0; step < count; ++step) factors.push_back(schedule->factor(step));
  return factors;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-9) << "step " << i;
}

std::string refusal(const ScheduleSettings& settings, std::int64_t total_steps = 100) {
  try {
    Schedule::make(settings, total_steps);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConfig);
    return error.what();
  }
  return "no error";
}

// The expected values are those of PyTorch 2.15's schedulers of the same names.

TEST(Schedule, ConstantIsOne) {
  expect_near(factors({}, 0, 3), {1, 1, 1});
}

TEST(Schedule, StepIsStepLR) {
  expect_near(factors({.kind = "step", .period = 3, .milestones = {}}, 0, 8), {1, 1, 1, 0.1, 0.1, 0.1, 0.01, 0.01});
}

TEST(Schedule, MultiStepIsMultiStepLR) {
  expect_near(factors({.kind = "multi_step", .milestones = {2, 5}, .factor = 0.5}, 0, 8),
              {1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25});
}

TEST(Schedule, ExponentialIsExponentialLR) {
  expect_near(factors({.kind = "exponential", .period = 1, .milestones = {}, .factor = 0.9}, 0, 5),
              {1, 0.9, 0.81, 0.729, 0.6561});
}

TEST(Schedule, ExponentialFallsByItsFactorInAPeriod) {
  const auto schedule = Schedule::make({.kind = "exponential", .period = 100, .milestones = {}, .factor = 0.25}, 0);
  EXPECT_DOUBLE_EQ(schedule->factor(50), 0.5);
  EXPECT_DOUBLE_EQ(schedule->factor(100), 0.25);
}

TEST(Schedule, CosineIsCosineAnnealingLRAndStaysAtItsEnd) {
  expect_near(factors({.kind = "cosine", .milestones = {}, .final_factor = 0.1}, 10, 13),
              {1, 0.9779754323, 0.9140576475, 0.8145033635, 0.6890576475, 0.55, 0.4109423525, 0.2854966365,
               0.1859423525, 0.1220245677, 0.1, 0.1, 0.1});
}

TEST(Schedule, PolynomialIsPolynomialLRAndStaysAtItsEnd) {
  expect_near(factors({.kind = "polynomial", .milestones = {}, .power = 2}, 8, 10),
              {1, 0.765625, 0.5625, 0.390625, 0.25, 0.140625, 0.0625, 0.015625, 0, 0});
}

TEST(Schedule, PolynomialEndsAtItsFinalFactor) {
  expect_near(factors({.kind = "polynomial", .milestones = {}, .final_factor = 0.2}, 4, 6),
              {1, 0.8, 0.6, 0.4, 0.2, 0.2});
}

TEST(Schedule, OneCycleIsOneCycleLR) {
  expect_near(factors({.kind = "one_cycle", .milestones = {}, .final_factor = 4e-6}, 10, 12),
              {0.04, 0.52, 1, 0.950484632, 0.8117456539, 0.6112620219, 0.3887419781, 0.1882583461, 0.04951936799, 4e-6,
               4e-6, 4e-6});
  // The peak is between two steps: at 2.5.
  const ScheduleSettings between{
      .kind = "one_cycle", .milestones = {}, .final_factor = 0.01, .rise = 0.5, .start_factor = 0.1};
  expect_near(factors(between, 7, 7),
              {0.1, 0.4109423525, 0.9140576475, 0.9509795896, 0.6151478623, 0.1963725481, 0.01});
}

TEST(Schedule, OneCycleWithoutARiseOrAFallStaysFinite) {
  expect_near(factors({.kind = "one_cycle", .milestones = {}, .rise = 0}, 3, 4), {1, 0.5, 0, 0});
  expect_near(factors({.kind = "one_cycle", .milestones = {}, .rise = 0.5}, 2, 3), {1, 0, 0});
  expect_near(factors({.kind = "one_cycle", .milestones = {}, .rise = 1, .start_factor = 0}, 3, 4), {0, 0.5, 1, 1});
  expect_near(factors({.kind = "one_cycle", .milestones = {}, .final_factor = 0.5}, 1, 2), {0.5, 0.5});
}

TEST(Schedule, WarmUpRisesToWhatTheKindStartsWithAndThenItsClockStarts) {
  // As SequentialLR of a linear warm-up of 4 steps and CosineAnnealingLR over the other 6.
  expect_near(factors({.kind = "cosine", .warmup_steps = 4, .milestones = {}}, 10, 10),
              {0.25, 0.5, 0.75, 1, 1, 0.9330127019, 0.75, 0.5, 0.25, 0.06698729811});
  expect_near(factors({.kind = "multi_step", .warmup_steps = 2, .milestones = {1}}, 0, 4), {0.5, 1, 1, 0.1});
  expect_near(factors({.kind = "one_cycle", .warmup_steps = 2, .milestones = {}, .rise = 1, .start_factor = 0.5}, 5, 3),
              {0.25, 0.5, 0.5});
}

RC_GTEST_PROP(Schedule, EveryKindComposesWithWarmUp, ()) {
  ScheduleSettings settings;
  settings.kind = *rc::gen::elementOf(std::vector<std::string>{"constant", "step", "multi_step", "exponential",
                                                               "cosine", "polynomial", "one_cycle", "plateau"});
  settings.period = *rc::gen::inRange(1, 50);
  settings.milestones = {*rc::gen::inRange(1, 20), *rc::gen::inRange(20, 50)};
  settings.final_factor = *rc::gen::inRange(0, 10) / 10.0;
  settings.rise = *rc::gen::inRange(0, 11) / 10.0;
  const int total = *rc::gen::inRange(1, 100);
  const int warmup = *rc::gen::inRange(0, 30);
  const auto cold = Schedule::make(settings, total);
  settings.warmup_steps = warmup;
  const auto warm = Schedule::make(settings, total + warmup);
  for (int step = 0; step < total + warmup + 5; ++step) {
    const double expected = step < warmup ? cold->factor(0) * (step + 1) / warmup : cold->factor(step - warmup);
    RC_ASSERT(warm->factor(step) == expected);
    RC_ASSERT(warm->factor(step) >= 0.0);
    RC_ASSERT(warm->factor(step) <= 1.0);
  }
}

TEST(Schedule, ARunThatEndsWithinItsWarmUpIsNoError) {
  expect_near(factors({.kind = "cosine", .warmup_steps = 4, .milestones = {}}, 2, 2), {0.25, 0.5});
}

TEST(Schedule, KindsThatGoByTheRunsLengthRefuseAnUnknownOne) {
  for (const char* kind : {"cosine", "polynomial", "one_cycle"}) {
    EXPECT_THAT(
        refusal({.kind = kind, .milestones = {}}, 0),
        testing::AllOf(HasSubstr(kind), HasSubstr("how long the run is"), HasSubstr("0 steps"), HasSubstr("fix")));
  }
}

TEST(Schedule, RefusesContradictorySettings) {
  EXPECT_THAT(refusal({.kind = "step", .milestones = {}}), HasSubstr("needs a period: period = 0"));
  EXPECT_THAT(refusal({.kind = "exponential", .milestones = {}}), HasSubstr("the exponential schedule needs a period"));
  EXPECT_THAT(refusal({.kind = "multi_step", .milestones = {}}), HasSubstr("needs milestones"));
  EXPECT_THAT(refusal({.kind = "multi_step", .milestones = {5, 5}}), HasSubstr("do not rise: 5 after 5"));
  EXPECT_THAT(refusal({.kind = "multi_step", .milestones = {0, 5}}), HasSubstr("do not rise: 0 after 0"));
  EXPECT_THAT(refusal({.kind = "linear", .milestones = {}}),
              testing::AllOf(HasSubstr("no such schedule: linear"), HasSubstr("constant, step, multi_step")));
}

TEST(Plateau, FallsAfterMoreThanPatienceValidationsWithoutProgress) {
  const auto schedule = Schedule::make({.kind = "plateau", .milestones = {}, .factor = 0.5, .patience = 2}, 0);
  schedule->observe(1.0, true);
  for (const double score : {1.0, 0.99999, 2.0}) {  // 0.99999 is less than the threshold better
    EXPECT_EQ(schedule->factor(0), 1.0);
    schedule->observe(score, true);
  }
  EXPECT_EQ(schedule->factor(0), 0.5);
  schedule->observe(0.9, true);  // progress: the count starts again
  for (int i = 0; i < 2; ++i) schedule->observe(0.9, true);
  EXPECT_EQ(schedule->factor(0), 0.5);
  schedule->observe(0.9, true);
  EXPECT_EQ(schedule->factor(1000), 0.25);
}

TEST(Plateau, WatchesFiguresThatShouldRise) {
  const auto schedule = Schedule::make({.kind = "plateau", .milestones = {}, .patience = 0}, 0);
  schedule->observe(0.5, false);
  schedule->observe(0.6, false);
  EXPECT_EQ(schedule->factor(0), 1.0);
  schedule->observe(0.6, false);
  EXPECT_EQ(schedule->factor(0), 0.1);
}

TEST(Plateau, TakesNegativeScoresAndThoseThatAreNotFinite) {
  const auto schedule = Schedule::make({.kind = "plateau", .milestones = {}, .patience = 0, .threshold = 0.1}, 0);
  schedule->observe(std::numeric_limits<double>::infinity(), true);
  EXPECT_DOUBLE_EQ(schedule->factor(0), 0.1);
  schedule->observe(-1.0, true);
  schedule->observe(-1.2, true);
  EXPECT_DOUBLE_EQ(schedule->factor(0), 0.1);
  schedule->observe(-1.25, true);
  EXPECT_DOUBLE_EQ(schedule->factor(0), 0.01);
  schedule->observe(std::nan(""), true);
  EXPECT_DOUBLE_EQ(schedule->factor(0), 0.001);
}

RC_GTEST_PROP(Plateau, GoesOnExactlyWhereItsStateWasSaved, (std::vector<double> scores)) {
  const ScheduleSettings settings{.kind = "plateau", .milestones = {}, .factor = 0.3, .patience = 1};
  const auto whole = Schedule::make(settings, 0);
  auto parts = Schedule::make(settings, 0);
  for (const double score : scores) {
    whole->observe(score, true);
    parts->observe(score, true);
    State state;
    parts->save_state(state);
    parts = Schedule::make(settings, 0);
    parts->load_state(state);
    RC_ASSERT(parts->factor(0) == whole->factor(0));
  }
}

TEST(ScheduleSettings, AreKnobsWithChecks) {
  ScheduleSettings settings;
  ASSERT_TRUE(
      load_settings(settings, {"--kind", "multi_step", "--milestones", "[10, 20]"}, {.environment_prefix = ""}));
  EXPECT_EQ(settings.milestones, (std::vector<std::int64_t>{10, 20}));
  EXPECT_THROW((void)load_settings(settings, {"--kind", "cosin"}, {.environment_prefix = ""}), Error);
  EXPECT_THROW((void)load_settings(settings, {"--rise", "1.5"}, {.environment_prefix = ""}), Error);
  EXPECT_THROW((void)load_settings(settings, {"--warmup_steps", "-1"}, {.environment_prefix = ""}), Error);
}

}  // namespace
}  // namespace base
