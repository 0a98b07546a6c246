#include "base/torch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "base/tensor/random.h"

namespace base {
namespace {

std::vector<double> draws(Random random, int count = 8) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(random.uniform());
  return values;
}

TEST(Random, IsTheSameForTheSameSeedEpochAndIndex) {
  EXPECT_EQ(draws(Random(1, 2, 3)), draws(Random(1, 2, 3)));
}

TEST(Random, DiffersInEachOfSeedEpochAndIndex) {
  std::set<std::vector<double>> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (std::uint64_t epoch = 0; epoch < 8; ++epoch)
      for (std::uint64_t index = 0; index < 8; ++index) seen.insert(draws(Random(seed, epoch, index)));
  EXPECT_EQ(8u * 8u * 8u, seen.size());
}

TEST(Random, KeepsItsNumbersFromVersionToVersion) {
  // Runs are repeatable only as long as these stay.
  Random random(42, 1, 7);
  EXPECT_NEAR(0.588194, random.uniform(), 1e-6);
  EXPECT_EQ(147, random.below(1000));
  EXPECT_EQ(17532488217563185893u, make_generator(42, 1).current_seed());
}

TEST(Random, NeighbouringStreamsAreIndependent) {
  // The correlation of the first draws of neighbouring indices, epochs and seeds: 0 but for chance.
  constexpr int kCount = 20000;
  for (const int varied : {0, 1, 2}) {
    double sum = 0;
    for (int i = 0; i < kCount; ++i) {
      const auto first = [&](int n) {
        const auto number = static_cast<std::uint64_t>(n);
        return Random(varied == 0 ? number : 0, varied == 1 ? number : 0, varied == 2 ? number : 0).uniform() - 0.5;
      };
      sum += first(i) * first(i + 1);
    }
    EXPECT_LT(std::abs(sum / kCount * 12), 5 / std::sqrt(kCount)) << varied;
  }
}

TEST(Random, UniformFillsItsRangeWithoutItsEnd) {
  Random random(0);
  double sum = 0;
  double least = 1;
  double most = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = random.uniform(-2, 6);
    ASSERT_GE(value, -2);
    ASSERT_LT(value, 6);
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_NEAR(2, sum / 100000, 0.05);
  EXPECT_LT(least, -1.99);
  EXPECT_GT(most, 5.99);
}

TEST(Random, BelowIsFairForEveryBound) {
  for (const std::int64_t bound : {1, 2, 3, 7, 10}) {
    Random random(5, 0, static_cast<std::uint64_t>(bound));
    std::vector<int> counts(static_cast<std::size_t>(bound));
    constexpr int kDraws = 50000;
    for (int i = 0; i < kDraws; ++i) ++counts.at(static_cast<std::size_t>(random.below(bound)));
    double chi_square = 0;
    for (const int count : counts) chi_square += std::pow(count - kDraws / double(bound), 2) / (kDraws / double(bound));
    EXPECT_LT(chi_square, 30) << bound;
  }
}

RC_GTEST_PROP(Random, BelowStaysBelow, (std::uint64_t seed)) {
  const auto bound = *rc::gen::inRange<std::int64_t>(1, (std::int64_t{1} << 32) + 1);
  Random random(seed);
  for (int i = 0; i < 20; ++i) {
    const std::int64_t value = random.below(bound);
    RC_ASSERT(value >= 0 && value < bound);
  }
}

TEST(Random, BelowReachesTheWholeOfTheLargestBound) {
  Random random(3);
  const std::int64_t bound = std::int64_t{1} << 32;
  std::int64_t most = 0;
  for (int i = 0; i < 1000; ++i) most = std::max(most, random.below(bound));
  EXPECT_LT(most, bound);
  EXPECT_GT(most, bound - bound / 50);
}

TEST(Random, ChanceIsAsLikelyAsAsked) {
  Random random(9);
  int hits = 0;
  for (int i = 0; i < 100000; ++i) hits += random.chance(0.3);
  EXPECT_NEAR(30000, hits, 800);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(random.chance(0));
    EXPECT_TRUE(random.chance(1));
  }
}

TEST(Generator, DependsOnSeedAndEpochAlone) {
  const auto order = [](std::uint64_t seed, std::uint64_t epoch) {
    return torch::randperm(100, make_generator(seed, epoch), torch::kLong);
  };
  EXPECT_TRUE(torch::equal(order(1, 2), order(1, 2)));
  EXPECT_FALSE(torch::equal(order(1, 2), order(1, 3)));
  EXPECT_FALSE(torch::equal(order(1, 2), order(2, 2)));
  EXPECT_FALSE(torch::equal(order(1, 2), order(2, 1)));
}

}  // namespace
}  // namespace base
