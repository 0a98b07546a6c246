#include "base/torch.h"

#include "base/data/batch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/log/error.h"

namespace base {
namespace {

using Numbers = std::vector<std::int64_t>;
using ::testing::HasSubstr;

/// Example i holds the number i; augmented, something drawn is added.
class Counting : public DataLoader {
 public:
  explicit Counting(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  Example parse(std::int64_t index) const override { return {{"x", torch::tensor(index)}}; }
  Example augment(Example example, Random& random) const override {
    example["x"] = example["x"] + 1000 * (1 + random.below(1000));
    return example;
  }

 private:
  std::int64_t size_;
};

/// A loader whose data end before example `end`, which nobody knows beforehand.
class Endless final : public Counting {
 public:
  explicit Endless(std::int64_t end) : Counting(kUnknownSize), end_(end) {}
  Example parse(std::int64_t index) const override { return index < end_ ? Counting::parse(index) : Example{}; }

 private:
  std::int64_t end_;
};

class Broken final : public Counting {
 public:
  using Counting::Counting;
  Example parse(std::int64_t index) const override {
    if (index == 7) throw Error(ErrorKind::kData, "the picture does not decode", "cat.jpg", "repair it");
    if (index == 8) throw std::runtime_error("out of luck");
    return Counting::parse(index);
  }
  std::string where(std::int64_t index) const override { return "list.csv:" + std::to_string(index + 2); }
};

/// Example 5 is longer than the others.
class Uneven final : public Counting {
 public:
  using Counting::Counting;
  Example parse(std::int64_t index) const override { return {{"x", torch::zeros({index == 5 ? 3 : 2})}}; }
  std::string where(std::int64_t index) const override { return "list.csv:" + std::to_string(index + 2); }
};

Numbers numbers_of(const Batch& batch) {
  const torch::Tensor x = batch["x"].contiguous();
  return {x.data_ptr<std::int64_t>(), x.data_ptr<std::int64_t>() + x.numel()};
}

std::vector<Numbers> all_batches(BatchStream stream) {
  std::vector<Numbers> batches;
  while (const auto batch = stream.next()) batches.push_back(numbers_of(*batch));
  return batches;
}

Numbers flat(const std::vector<Numbers>& batches) {
  Numbers all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

Numbers sorted(Numbers numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

Numbers first_numbers(std::int64_t count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::string error_of(BatchStream& stream) {
  try {
    while (stream.next()) {
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(BatchStream, GivesTheExamplesInOrderWhenItDoesNotTrain) {
  const Counting data(7);
  EXPECT_EQ(all_batches({data, {.settings = {.batch_size = 3, .threads = 2}}}),
            (std::vector<Numbers>{{0, 1, 2}, {3, 4, 5}, {6}}));
}

TEST(BatchStream, LeavesOutAShortLastBatchWhenAsked) {
  const Counting data(7);
  EXPECT_EQ(all_batches({data, {.settings = {.batch_size = 3, .drop_last = true}}}),
            (std::vector<Numbers>{{0, 1, 2}, {3, 4, 5}}));
}

TEST(BatchStream, ShufflesEachEpochAnew) {
  const Counting data(100);
  const auto epoch = [&](std::int64_t number, std::uint64_t seed) {
    BatchStream stream(
        data,
        {.settings = {.batch_size = 10, .overfit = 0}, .seed = seed, .from = {.epoch = number}, .training = true});
    Numbers indices;
    while (const auto batch = stream.next())
      indices.insert(indices.end(), batch->indices.begin(), batch->indices.end());
    return indices;
  };
  EXPECT_EQ(sorted(epoch(0, 1)), first_numbers(100));
  EXPECT_EQ(epoch(3, 1), epoch(3, 1));
  EXPECT_NE(epoch(0, 1), epoch(1, 1));
  EXPECT_NE(epoch(0, 1), epoch(0, 2));
}

// The heart of exact resume: neither threads nor a stop in the middle change what comes.
RC_GTEST_PROP(BatchStream, IsTheSameForAnyThreadsAndFromAnyCursor, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(1, 60);
  const Counting data(size);
  BatchStream::Options options{.settings = {.batch_size = *rc::gen::inRange<std::int64_t>(1, 9),
                                            .shuffle = *rc::gen::arbitrary<bool>(),
                                            .drop_last = false,
                                            .threads = 0,
                                            .limit = *rc::gen::inRange<std::int64_t>(0, 70)},
                               .seed = *rc::gen::arbitrary<std::uint64_t>(),
                               .from = {.epoch = *rc::gen::inRange<std::int64_t>(0, 5)},
                               .training = *rc::gen::arbitrary<bool>()};
  const auto whole = all_batches({data, options});

  const auto stop = *rc::gen::inRange<std::size_t>(0, whole.size() + 1);
  options.settings.threads = *rc::gen::element(0, 1, 4);
  options.settings.prefetch = *rc::gen::inRange(1, 6);
  BatchStream before(data, options);
  std::vector<Numbers> batches;
  for (std::size_t i = 0; i < stop; ++i) batches.push_back(numbers_of(*before.next()));

  options.settings.threads = *rc::gen::element(0, 1, 4);
  options.from = before.cursor();
  for (const auto& batch : all_batches({data, options})) batches.push_back(batch);
  RC_ASSERT(batches == whole);
}

RC_GTEST_PROP(BatchStream, SharesAnEpochOutAmongAnyWorlds, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(1, 200);
  const Counting data(size);
  const auto worlds = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(1, 6));
  Cursor cursor;
  Numbers seen;
  for (std::size_t part = 0; part < worlds.size(); ++part) {  // the run stops twice and goes on with another world
    const bool last = part + 1 == worlds.size();
    const auto steps = last ? 1000 : *rc::gen::inRange(0, 4);
    Cursor after = cursor;
    for (int rank = 0; rank < worlds[part]; ++rank) {
      BatchStream stream(data, {.settings = {.batch_size = 4, .threads = 0},
                                .seed = 5,
                                .from = cursor,
                                .training = true,
                                .world = {.rank = rank, .size = worlds[part]}});
      for (int step = 0; step < steps; ++step) {
        const auto batch = stream.next();
        if (!batch) break;
        seen.insert(seen.end(), batch->indices.begin(), batch->indices.end());
      }
      after = stream.cursor();
    }
    cursor = after;
  }
  RC_ASSERT(sorted(seen) == first_numbers(size));
}

TEST(BatchStream, OfAWorldGivesTogetherWhatOneProcessWithTheSameGlobalBatchGets) {
  const Counting data(24);
  const auto together = all_batches({data, {.settings = {.batch_size = 8}, .seed = 3, .training = true}});
  std::vector<Numbers> apart(3);
  for (int rank = 0; rank < 2; ++rank) {
    const auto share = all_batches(
        {data, {.settings = {.batch_size = 4}, .seed = 3, .training = true, .world = {.rank = rank, .size = 2}}});
    for (std::size_t step = 0; step < share.size(); ++step)
      apart[step].insert(apart[step].end(), share[step].begin(), share[step].end());
  }
  EXPECT_EQ(apart, together);
}

TEST(BatchStream, HasNothingLeftAtTheEndOfAnEpoch) {
  const Counting data(6);
  BatchStream stream(data, {.settings = {.batch_size = 3}});
  while (stream.next()) {
  }
  EXPECT_EQ(stream.cursor(), (Cursor{.epoch = 0, .taken = 6}));
  BatchStream next(data, {.settings = {.batch_size = 3}, .from = stream.cursor()});
  EXPECT_FALSE(next.next());
  EXPECT_EQ(next.batches_per_epoch(), 2);
}

TEST(BatchStream, AugmentsInTrainingOnlyAndTheSameExampleAlike) {
  const Counting data(5);
  const BatchStream::Options options{.settings = {.batch_size = 5, .shuffle = false}, .seed = 1, .training = true};
  const Numbers once = flat(all_batches({data, options}));
  EXPECT_TRUE(std::ranges::all_of(once, [](auto x) { return x >= 1000; }));
  auto single = options;
  single.settings.batch_size = 1;
  single.settings.threads = 4;
  EXPECT_EQ(flat(all_batches({data, single})), once);
  single.from.epoch = 1;
  EXPECT_NE(flat(all_batches({data, single})), once);
}

TEST(BatchStream, AugmentsAnExampleThatIsDrawnAgainInAnotherWay) {
  class Repeated final : public Counting {
   public:
    using Counting::Counting;
    std::unique_ptr<Sampler> training_sampler(std::uint64_t seed) const override {
      return std::make_unique<WeightedSampler>(seed, std::vector<double>{1, 0}, 8);
    }
  };
  const Repeated data(2);
  BatchStream::Options options{.settings = {.batch_size = 4}, .training = true};
  const Numbers drawn = flat(all_batches({data, options}));
  EXPECT_EQ(drawn.size(), 8U);
  EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 8U) << "all are example 0, each augmented anew";
  options.from.taken = 4;
  EXPECT_EQ(flat(all_batches({data, options})), Numbers(drawn.begin() + 4, drawn.end())) << "resumed in mid-epoch";
}

TEST(BatchStream, OverfitsOnTheFirstBatchesAsTheyAre) {
  const Counting data(50);
  const BatchStream::Options options{.settings = {.batch_size = 4, .overfit = 2}, .training = true};
  EXPECT_EQ(flat(all_batches({data, options})), first_numbers(8));
}

TEST(BatchStream, TakesOnlyTheFirstExamplesWithALimit) {
  const Counting data(50);
  EXPECT_EQ(flat(all_batches({data, {.settings = {.batch_size = 4, .limit = 10}}})), first_numbers(10));
}

TEST(BatchStream, CanBeLeftHalfWayAndBegunAgain) {
  const Counting data(1000);
  for (int round = 0; round < 20; ++round) {
    BatchStream stream(
        data, {.settings = {.batch_size = 2, .threads = 4, .prefetch = 8}, .from = {.epoch = round}, .training = true});
    for (int i = 0; i < round % 5; ++i) ASSERT_TRUE(stream.next());
  }
}

TEST(BatchStream, ReadsDataOfUnknownSizeToTheirEnd) {
  for (const int threads : {0, 1, 4}) {
    const Endless data(7), even(6);
    EXPECT_FALSE(BatchStream(data, {}).batches_per_epoch());
    EXPECT_EQ(all_batches({data, {.settings = {.batch_size = 3, .threads = threads}}}),
              (std::vector<Numbers>{{0, 1, 2}, {3, 4, 5}, {6}}));
    EXPECT_EQ(all_batches({even, {.settings = {.batch_size = 3, .threads = threads}}}),
              (std::vector<Numbers>{{0, 1, 2}, {3, 4, 5}}));
  }
}

TEST(BatchStream, RefusesAnEmptyExampleAmongDataOfKnownSize) {
  class Holes final : public Counting {
   public:
    using Counting::Counting;
    Example parse(std::int64_t index) const override { return index == 7 ? Example{} : Counting::parse(index); }
    std::string where(std::int64_t index) const override { return "list.csv:" + std::to_string(index + 2); }
  };
  const Holes data(20);
  for (const int threads : {0, 1, 4}) {
    BatchStream stream(data, {.settings = {.batch_size = 5, .threads = threads}});
    EXPECT_THAT(error_of(stream), HasSubstr("an example is empty, though size() counts it: example 7 (list.csv:9)"));
  }
}

TEST(BatchStream, NamesTheExamplesOfABatchThatCollateCannotMake) {
  class Careless final : public Counting {
   public:
    using Counting::Counting;
    Tensors collate(std::span<const Example> /*examples*/) const override { throw std::out_of_range("no such key"); }
  };
  const Careless data(6);
  BatchStream stream(data, {.settings = {.batch_size = 3, .threads = 1}});
  const std::string message = error_of(stream);
  EXPECT_THAT(message, HasSubstr("data error: a batch cannot be made: no such key: example 0 and the 2 after it"));
  EXPECT_THAT(message, HasSubstr("collate()"));
}

TEST(BatchStream, RefusesToShuffleDataOfUnknownSize) {
  const Endless data(5);
  try {
    BatchStream(data, {.training = true});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConfig);
    EXPECT_THAT(error.what(), HasSubstr("shuffle = false"));
  }
}

TEST(BatchStream, RefusesAnEmptyDataSet) {
  const Counting data(0);
  try {
    BatchStream(data, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_THAT(error.what(), HasSubstr("the data set is empty: 0 examples\n  fix: "));
  }
}

TEST(BatchStream, RefusesToDropTheOnlyBatch) {
  const Counting data(3);
  EXPECT_THROW(BatchStream(data, {.settings = {.batch_size = 4, .drop_last = true}}), Error);
}

TEST(BatchStream, DeliversAnErrorInItsPlaceWithExampleAndFile) {
  const Broken data(20);
  for (const int threads : {0, 1, 4}) {
    BatchStream stream(data, {.settings = {.batch_size = 2, .threads = threads}});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(stream.next());
    EXPECT_EQ(error_of(stream),
              "data error: the picture does not decode: cat.jpg\n  fix: repair it\n  in: example 7 (list.csv:9)");
    EXPECT_FALSE(stream.next());
  }
  BatchStream foreign(data, {.settings = {.batch_size = 4, .threads = 1}, .from = {.taken = 8}});
  EXPECT_THAT(error_of(foreign), HasSubstr("an example cannot be made: out of luck: example 8 (list.csv:10)"));
}

TEST(Stack, PadsRaggedTensorsAndSaysHowLongTheyWere) {
  const std::vector<Example> examples{{{"tokens", torch::tensor({1, 2, 3})}}, {{"tokens", torch::tensor({4})}}};
  const std::vector<Padding> ragged{{"tokens", -1}};
  const Tensors batch = stack(examples, ragged);
  EXPECT_TRUE(batch["tokens"].equal(torch::tensor({{1, 2, 3}, {4, -1, -1}})));
  EXPECT_TRUE(batch["tokens_length"].equal(torch::tensor({3, 1}, torch::kLong)));
}

TEST(Join, PadsTheSmallerBatches) {
  const std::vector<torch::Tensor> batches{torch::tensor({{1, 2, 3}}), torch::tensor({{4}, {5}})};
  EXPECT_TRUE(join(batches, {"tokens", -1}).equal(torch::tensor({{1, 2, 3}, {4, -1, -1}, {5, -1, -1}})));
}

TEST(DataLoader, NamesTheExampleThatIsNotLikeTheOthers) {
  try {
    static_cast<void>(Uneven(9).make_batch(std::vector<std::int64_t>{1, 2, 5, 6}, {}));
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the examples' x differ in shape: float32 [2] and float32 [3]"));
    EXPECT_THAT(error.what(), HasSubstr("example 5 (list.csv:7)"));
  }
}

TEST(Stack, RefusesWhatDoesNotFitTogether) {
  const auto message = [](std::vector<Example> examples) -> std::string {
    try {
      stack(examples);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(message({{{"x", torch::zeros({2})}}, {{"x", torch::zeros({3})}}}),
              HasSubstr("the examples' x differ in shape: float32 [2] and float32 [3]"));
  EXPECT_THAT(message({{{"x", torch::zeros({2})}}, {{"x", torch::zeros({2}, torch::kLong)}}}),
              HasSubstr("differ in type"));
  EXPECT_THAT(message({{{"x", torch::zeros({2})}}, {{"y", torch::zeros({2})}}}),
              HasSubstr("there is no tensor of this name: x"));
}

TEST(WeightedSampler, DrawsEachExampleAsOftenAsItsWeightSays) {
  const auto order = WeightedSampler(1, {1, 0, 3}, 40000).order(3, 0);
  ASSERT_EQ(order.size(), 40000U);
  EXPECT_EQ(std::ranges::count(order, 1), 0);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(order, 2)) / 40000, 0.75, 0.01);
  EXPECT_EQ(order, WeightedSampler(1, {1, 0, 3}, 40000).order(3, 0));
  EXPECT_NE(order, WeightedSampler(1, {1, 0, 3}, 40000).order(3, 1));
}

TEST(WeightedSampler, RefusesWeightsThatCannotBe) {
  EXPECT_THROW(WeightedSampler(1, {1, -1}), Error);
  EXPECT_THROW(WeightedSampler(1, {0, 0}), Error);
  EXPECT_THROW(WeightedSampler(1, {1, std::nan("")}), Error);
  EXPECT_THROW(static_cast<void>(WeightedSampler(1, {1, 1}).order(3, 0)), Error);
}

}  // namespace
}  // namespace base
