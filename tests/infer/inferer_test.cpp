#include "base/infer/inferer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "tests/infer/support.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

using ::testing::ElementsAre;

/// y = 10 x, row by row; remembers how many rows each run had. Any row of 13 is too much for it.
class TenTimes final : public Backend {
 public:
  explicit TenTimes(std::vector<std::int64_t>& runs, bool has_batch = true) : runs_(runs) {
    const std::vector<Axis> axes =
        has_batch ? std::vector<Axis>{{1, "batch"}, {1, "length"}} : std::vector<Axis>{{1, "length"}};
    signature_ = {.inputs = {{"x", DType::kF32, axes}}, .outputs = {{"y", DType::kF32, axes}}};
  }

  const Signature& signature() const override { return signature_; }
  std::span<const TensorView> run(std::span<const TensorView> inputs) override {
    const auto matched = match_inputs(signature_, inputs);
    runs_.push_back(matched[0]->shape[0]);
    std::vector<float> numbers = numbers_of(*matched[0]);
    for (float& number : numbers) {
      if (number == 13) throw std::runtime_error("thirteen");
      number *= 10;
    }
    answer_ = floats("y", matched[0]->shape, numbers);
    return {&answer_.view, 1};
  }
  std::string description() const override { return "ten times"; }

 private:
  std::vector<std::int64_t>& runs_;
  Signature signature_;
  HostTensor answer_;
};

/// Samples "0", "1", ... with one row each, or as given.
class ListReader final : public SampleReader {
 public:
  explicit ListReader(std::vector<std::vector<std::vector<float>>> samples) : samples_(std::move(samples)) {}
  static ListReader counting(int count) {
    std::vector<std::vector<std::vector<float>>> samples;
    for (int i = 0; i < count; ++i) samples.push_back({{static_cast<float>(i)}});
    return ListReader(std::move(samples));
  }

  std::optional<Sample> next() override {
    if (next_ == samples_.size()) return std::nullopt;
    if (next_ == fail_at) throw std::runtime_error("the file is gone");
    Sample sample{.name = "sample " + std::to_string(next_)};
    for (const std::vector<float>& numbers : samples_[next_])
      sample.feeds.push_back({floats("x", {static_cast<std::int64_t>(numbers.size())}, numbers)});
    ++next_;
    return sample;
  }
  bool is_ready() override { return next_ % pause_every != 0; }

  std::size_t fail_at = 1U << 30;
  std::size_t pause_every = 1U << 30;

 private:
  std::vector<std::vector<std::vector<float>>> samples_;
  std::size_t next_ = 0;
};

class ListSink final : public AnswerSink {
 public:
  void take(const Sample& sample, std::span<const TensorView> outputs) override {
    if (sample.name == refuse) throw std::runtime_error("no room");
    names.push_back(sample.name);
    for (const float number : numbers_of(outputs[0])) numbers.push_back(number);
  }
  void flush() override { ++flushed; }
  void finish() override { finished = true; }

  std::string refuse;
  std::vector<std::string> names;
  std::vector<float> numbers;
  int flushed = 0;
  bool finished = false;
};

class InfererTest : public ::testing::TestWithParam<bool> {
 protected:
  Inferer make(InfererOptions options = {}, bool has_batch = true) {
    options.pipeline = GetParam();
    return {std::make_unique<TenTimes>(runs_, has_batch), options};
  }
  std::vector<std::int64_t> runs_;  // rows in each
  ListSink sink_;
};

INSTANTIATE_TEST_SUITE_P(Threads, InfererTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Pipeline" : "OneThread"; });

TEST_P(InfererTest, AnswersInTheOrderOfTheSamples) {
  ListReader reader = ListReader::counting(10);
  const Inferer::Stats stats = make({.batch_size = 4, .queue = 1}).run(reader, sink_);
  EXPECT_THAT(sink_.numbers, ElementsAre(0, 10, 20, 30, 40, 50, 60, 70, 80, 90));
  EXPECT_EQ("sample 9", sink_.names.back());
  EXPECT_THAT(runs_, ElementsAre(4, 4, 2));
  EXPECT_EQ(10, stats.samples);
  EXPECT_EQ(3, stats.runs);
  EXPECT_TRUE(sink_.finished);
}

TEST_P(InfererTest, EndsAtOnceWithoutSamples) {
  ListReader reader = ListReader::counting(0);
  EXPECT_EQ(0, make().run(reader, sink_).samples);
  EXPECT_TRUE(sink_.finished);
  EXPECT_TRUE(runs_.empty());
}

TEST_P(InfererTest, RunsRowsOfDifferentShapesApart) {
  ListReader reader({{{1, 2}}, {{3, 4}}, {{5}}, {{6}}, {{7, 8}}});
  make().run(reader, sink_);
  EXPECT_THAT(sink_.numbers, ElementsAre(10, 20, 30, 40, 50, 60, 70, 80));
  EXPECT_THAT(runs_, ElementsAre(2, 2, 1));
}

TEST_P(InfererTest, TakesTheMeanOfTheFeedsOfASample) {
  ListReader reader({{{1}, {3}}, {{5}}, {{1}, {2}, {6}}});
  make().run(reader, sink_);
  EXPECT_THAT(sink_.numbers, ElementsAre(20, 50, 30));
  EXPECT_THAT(runs_, ElementsAre(6));
}

TEST_P(InfererTest, RunsMoreFeedsThanABatchHoldsInPieces) {
  ListReader reader({{{1}}, {{1}, {2}, {3}, {4}, {5}}, {{7}}});
  make({.batch_size = 2}).run(reader, sink_);
  EXPECT_THAT(sink_.numbers, ElementsAre(10, 30, 70));
  EXPECT_THAT(runs_, ElementsAre(1, 2, 2, 1, 1));
}

TEST_P(InfererTest, CollapsesAsItIsTold) {
  ListReader reader({{{1}, {3}}, {{5}}});
  make({.collapse = [](std::span<const std::vector<TensorView>> answers) {
    float most = 0;
    for (const std::vector<TensorView>& answer : answers) most = std::max(most, numbers_of(answer[0])[0]);
    return std::vector{floats("y", {1}, {most})};
  }}).run(reader, sink_);
  EXPECT_THAT(sink_.numbers, ElementsAre(30, 50));
}

TEST_P(InfererTest, RunsAModelWithoutABatchAxisOneByOne) {
  ListReader reader({{{1, 2, 3}}, {{4}}, {{5}, {7}}});
  make({}, /*has_batch=*/false).run(reader, sink_);
  EXPECT_THAT(sink_.numbers, ElementsAre(10, 20, 30, 40, 60));
  EXPECT_THAT(runs_, ElementsAre(3, 1, 1, 1));
}

TEST_P(InfererTest, DoesNotWaitForAFullBatchWhileTheReaderWaits) {
  ListReader reader = ListReader::counting(5);
  reader.pause_every = 2;
  make({.batch_size = 64}).run(reader, sink_);
  EXPECT_THAT(runs_, ElementsAre(2, 2, 1));
  EXPECT_EQ(2, sink_.flushed);
  EXPECT_THAT(sink_.numbers, ElementsAre(0, 10, 20, 30, 40));
}

TEST_P(InfererTest, NamesTheSampleThatDoesNotFit) {
  class Wrong final : public SampleReader {
   public:
    std::optional<Sample> next() override {
      if (count_ == 6) return std::nullopt;
      const bool is_bad = count_++ == 5;
      return Sample{.name = "row " + std::to_string(count_), .feeds = {{floats(is_bad ? "z" : "x", {1}, {1})}}};
    }

   private:
    int count_ = 0;
  } wrong;
  EXPECT_EQ(
      "data error: the inputs do not fit the model: x is missing; there is no z\n"
      "  fix: it takes x F32 [length]\n"
      "  in: row 6",
      message_of(ErrorKind::kData, [&] { make({.batch_size = 4}).run(wrong, sink_); }));
  EXPECT_EQ(5U, sink_.names.size());  // the answers before it are there
  EXPECT_FALSE(sink_.finished);
}

TEST_P(InfererTest, HandsOnWhatTheReaderThrows) {
  ListReader reader = ListReader::counting(100);
  reader.fail_at = 10;
  EXPECT_EQ("data error: the reader failed: the file is gone: after sample 9\n  fix: see the code that threw it",
            message_of(ErrorKind::kData, [&] { make({.batch_size = 4}).run(reader, sink_); }));
  EXPECT_EQ(10U, sink_.names.size());
}

TEST_P(InfererTest, HandsOnWhatTheNetworkThrows) {
  ListReader reader = ListReader::counting(100);
  EXPECT_EQ("data error: the network failed: thirteen: sample 12 to sample 15\n  fix: see the code that threw it",
            message_of(ErrorKind::kData, [&] { make({.batch_size = 4, .queue = 1}).run(reader, sink_); }));
  EXPECT_EQ(12U, sink_.names.size());
  EXPECT_FALSE(sink_.finished);
}

TEST_P(InfererTest, HandsOnWhatTheSinkThrows) {
  ListReader reader = ListReader::counting(1000);
  sink_.refuse = "sample 6";
  EXPECT_EQ("data error: the answer cannot be taken: no room: sample 6\n  fix: see the code that threw it",
            message_of(ErrorKind::kData, [&] { make({.batch_size = 4, .queue = 1}).run(reader, sink_); }));
  EXPECT_EQ(6U, sink_.names.size());
}

TEST_P(InfererTest, RunsAgainAfterAnError) {
  Inferer inferer = make({.batch_size = 4});
  ListReader reader = ListReader::counting(100);
  sink_.refuse = "sample 1";
  EXPECT_THROW(inferer.run(reader, sink_), Error);
  ListReader again = ListReader::counting(3);
  ListSink other;
  inferer.run(again, other);
  EXPECT_THAT(other.numbers, ElementsAre(0, 10, 20));
}

TEST_P(InfererTest, TakesWholeBatchesAndListsOfThem) {
  class Batches final : public SampleReader {
   public:
    std::optional<Sample> next() override {
      if (done_) return std::nullopt;
      done_ = true;
      return Sample{
          .name = "batch", .feeds = {{floats("x", {2, 1}, {1, 2})}, {floats("x", {2, 1}, {3, 4})}}, .is_batch = true};
    }

   private:
    bool done_ = false;
  } reader;
  make({.batch_size = 1}).run(reader, sink_);
  EXPECT_THAT(sink_.numbers, ElementsAre(20, 30));
  EXPECT_THAT(runs_, ElementsAre(2, 2));
}

// A reader that waits for what never comes, as from a terminal.
class EndlessReader final : public SampleReader {
 public:
  std::optional<Sample> next() override {
    if (count_++ == 0) return Sample{.name = "first", .feeds = {{floats("x", {1}, {13})}}};
    while (!cancelled_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::nullopt;
  }
  bool is_ready() override { return count_ == 0; }
  void cancel() override { cancelled_ = true; }

 private:
  int count_ = 0;
  std::atomic<bool> cancelled_ = false;
};

TEST(Inferer, EndsAReaderThatWaitsWhenSomethingElseFails) {
  std::vector<std::int64_t> runs;
  Inferer inferer(std::make_unique<TenTimes>(runs), {});
  EndlessReader reader;
  ListSink sink;
  EXPECT_THROW(inferer.run(reader, sink), Error);
}

TEST(Inferer, RefusesBatchesOfNothing) {
  std::vector<std::int64_t> runs;
  EXPECT_THROW(Inferer(std::make_unique<TenTimes>(runs), {.batch_size = 0}), Error);
}

TEST(HostTensor, HasAMeanInItsOwnType) {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    std::vector<HostTensor> tensors;
    std::vector<TensorView> views;
    for (const double value : {1.0, 2.0, -6.0}) {
      NewTensor made = new_tensor("y", dtype, {2});
      set_number(dtype, made.bytes, 0, value);
      set_number(dtype, made.bytes, 1, -value / 8);
      tensors.push_back(made.tensor);
      views.push_back(tensors.back().view);
    }
    const HostTensor mean = mean_or_mode_of(views);
    EXPECT_EQ(dtype, mean.view.dtype);
    EXPECT_EQ(-1, number_at(mean.view, 0)) << name_of(dtype);
    EXPECT_EQ(0.125, number_at(mean.view, 1)) << name_of(dtype);
  }
}

TEST(HostTensor, HasTheMostFrequentOfWholeNumbersAndBooleans) {
  const auto mode = [](const std::vector<HostTensor>& tensors) {
    std::vector<TensorView> views;
    for (const HostTensor& tensor : tensors) views.push_back(tensor.view);
    return mean_or_mode_of(views);
  };
  const auto classes = [](const std::vector<std::int64_t>& numbers) {
    return tensor("class", DType::kI64, {static_cast<std::int64_t>(numbers.size())}, numbers);
  };
  // More than 2^53: they are told apart to the last digit.
  const std::int64_t big = std::numeric_limits<std::int64_t>::max();
  const HostTensor most = mode({classes({5, 1, big - 1}), classes({2, 2, big}), classes({2, 3, big})});
  EXPECT_EQ(DType::kI64, most.view.dtype);
  EXPECT_THAT(numbers_of<std::int64_t>(most.view), ElementsAre(2, 1, big));  // of equals the first
  EXPECT_THAT(numbers_of<std::int64_t>(mode({classes({1}), classes({2}), classes({2}), classes({1})}).view),
              ElementsAre(1));
  EXPECT_THAT(numbers_of<std::int64_t>(mode({classes({7})}).view), ElementsAre(7));
  const auto yes = tensor<std::uint8_t>("yes", DType::kBool, {2}, {1, 0});
  const auto no = tensor<std::uint8_t>("yes", DType::kBool, {2}, {0, 0});
  EXPECT_THAT(numbers_of<std::uint8_t>(mode({no, yes, yes}).view), ElementsAre(1, 0));
  EXPECT_EQ("usage error: answers of different shapes do not make one answer: class\n  fix: collapse them in your way",
            message_of(ErrorKind::kUsage, [&] {
              mode({classes({1}), classes({1, 2})});
            }));
}

TEST(Collapse, TakesEachOutputByItself) {
  const HostTensor y[] = {floats("y", {1}, {1}), floats("y", {1}, {2}), floats("y", {1}, {6})};
  const HostTensor n[] = {tensor<std::int64_t>("n", DType::kI64, {1}, {4}),
                          tensor<std::int64_t>("n", DType::kI64, {1}, {9}),
                          tensor<std::int64_t>("n", DType::kI64, {1}, {9})};
  const std::vector<std::vector<TensorView>> answers{
      {y[0].view, n[0].view}, {y[1].view, n[1].view}, {y[2].view, n[2].view}};
  const auto one = collapse_to_mean_or_mode(answers);
  EXPECT_THAT(numbers_of(one[0].view), ElementsAre(3));
  EXPECT_THAT(numbers_of<std::int64_t>(one[1].view), ElementsAre(9));
}

TEST(HostTensor, RoundsHalfFloatsToTheNearest) {
  const std::vector<std::pair<double, double>> cases{{65504, 65504},
                                                     {65519, 65504},
                                                     {65520, INFINITY},
                                                     {-1e9, -INFINITY},
                                                     {5.9604644775390625e-08, 5.9604644775390625e-08},
                                                     {2e-8, 0},
                                                     {1.0 / 3, 0.333251953125},
                                                     {6.103515625e-05, 6.103515625e-05},
                                                     {2049, 2048},
                                                     {2051, 2052}};
  for (const auto& [value, expected] : cases) {
    NewTensor made = new_tensor("y", DType::kF16, {1});
    set_number(DType::kF16, made.bytes, 0, value);
    EXPECT_EQ(expected, number_at(made.tensor.view, 0)) << value;
  }
}

}  // namespace
}  // namespace base
