// Comparing and measuring engines, on ones whose answers are known.
#include "base/infer/backend_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/infer/random_inputs.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "tests/infer/support.h"
#include "tests/support/memory_folder.h"

namespace base {
namespace {

template <typename T>
struct Numbers {
  std::vector<T> values;
  TensorView view(DType dtype, const std::string& name = "y") const {
    return {name, dtype, {static_cast<std::int64_t>(values.size())}, std::as_bytes(std::span(values))};
  }
};

double difference(const TensorView& answer, const TensorView& reference) {
  return compare_answers(std::span(&answer, 1), std::span(&reference, 1)).at(0).difference;
}

TEST(CompareAnswers, TakesTheLargestDifferenceAsAPartOfTheLargestNumber) {
  const Numbers<float> a{{1, 2, -8}};
  const Numbers<float> b{{1, 2.5, -8}};
  EXPECT_DOUBLE_EQ(difference(b.view(DType::kF32), a.view(DType::kF32)), 0.5 / 8);
  EXPECT_DOUBLE_EQ(difference(a.view(DType::kF32), a.view(DType::kF32)), 0);
}

TEST(CompareAnswers, KnowsEveryFloatingPointType) {
  const Numbers<double> wide{{1.5, -0.25, 65504, 0x1p-24, 0}};
  const Numbers<std::uint16_t> half{{0x3e00, 0xb400, 0x7bff, 0x0001, 0x8000}};
  EXPECT_DOUBLE_EQ(difference(half.view(DType::kF16), wide.view(DType::kF64)), 0);
  const Numbers<double> two{{1.5, -0.25}};
  const Numbers<std::uint16_t> brain{{0x3fc0, 0xbe80}};
  EXPECT_DOUBLE_EQ(difference(brain.view(DType::kBF16), two.view(DType::kF64)), 0);
}

TEST(CompareAnswers, TakesNoNaNForANumber) {
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  const Numbers<float> strange{{nan, infinity, 1}};
  EXPECT_DOUBLE_EQ(difference(strange.view(DType::kF32), strange.view(DType::kF32)), 0);
  for (const auto& other :
       {Numbers<float>{{1, infinity, 1}}, {{nan, 1, 1}}, {{nan, infinity, nan}}, {{nan, -infinity, 1}}}) {
    EXPECT_TRUE(std::isinf(difference(other.view(DType::kF32), strange.view(DType::kF32))));
    EXPECT_TRUE(std::isinf(difference(strange.view(DType::kF32), other.view(DType::kF32))));
  }
}

TEST(CompareAnswers, CountsIntegersThatDiffer) {
  const Numbers<std::int64_t> a{{1, 2, 3, 4}};
  const Numbers<std::int64_t> b{{1, 2, 3, 1000}};
  EXPECT_DOUBLE_EQ(difference(b.view(DType::kI64), a.view(DType::kI64)), 0.25);
}

TEST(CompareAnswers, MissesWhatIsMissingOrOfAnotherShapeOrType) {
  const Numbers<float> a{{1, 2}};
  const Numbers<float> longer{{1, 2, 3}};
  const Numbers<std::int32_t> integers{{1, 2}};
  EXPECT_TRUE(std::isinf(difference(longer.view(DType::kF32), a.view(DType::kF32))));
  EXPECT_TRUE(std::isinf(difference(integers.view(DType::kI32), a.view(DType::kF32))));
  EXPECT_TRUE(std::isinf(difference(a.view(DType::kF32, "x"), a.view(DType::kF32, "y"))));
}

TEST(Percentile, IsTheNearestRank) {
  std::vector<double> times;
  for (int i = 1; i <= 100; ++i) times.push_back(i);
  EXPECT_EQ(percentile(times, 0.5), 50);
  EXPECT_EQ(percentile(times, 0.9), 90);
  EXPECT_EQ(percentile(times, 0.99), 99);
  EXPECT_EQ(percentile(std::vector<double>{7}, 0.99), 7);
}

Signature doubling() {
  return {.inputs = {{"x", DType::kF32, {{2, "batch"}, {3}}}}, .outputs = {{"y", DType::kF32, {{2, "batch"}, {3}}}}};
}

/// Gives the input times a factor, from a certain run on another.
class Multiplier final : public Backend {
 public:
  explicit Multiplier(float factor, int wrong_from = -1) : factor_(factor), wrong_from_(wrong_from) {}
  const Signature& signature() const override { return signature_; }
  std::string description() const override { return "a multiplier"; }
  std::span<const TensorView> run(std::span<const TensorView> inputs) override {
    values_.resize(inputs[0].bytes.size() / sizeof(float));
    std::memcpy(values_.data(), inputs[0].bytes.data(), inputs[0].bytes.size());
    for (float& value : values_) value *= wrong_from_ >= 0 && runs >= wrong_from_ ? -factor_ : factor_;
    ++runs;
    batches.push_back(inputs[0].shape[0]);
    answers_ = {{"y", DType::kF32, inputs[0].shape, std::as_bytes(std::span(values_))}};
    return answers_;
  }
  int runs = 0;
  std::vector<std::int64_t> batches;

 private:
  Signature signature_ = doubling();
  float factor_;
  int wrong_from_;
  std::vector<float> values_;
  std::vector<TensorView> answers_;
};

TEST(CheckBackend, ComparesAndMeasuresAtEachSizeOfTheBatch) {
  Multiplier backend(2.02F);
  Multiplier reference(2);
  const auto rows = check_backend(backend, reference, {.batches = {1, 8}, .warm_up = 2, .runs = 5});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].batch, 8);
  EXPECT_EQ(rows[1].worst.output, "y");
  EXPECT_NEAR(rows[1].worst.difference, 0.01, 1e-5);
  EXPECT_NEAR(worst_difference(rows), 0.01, 1e-5);
  EXPECT_EQ(reference.runs, 2);
  EXPECT_EQ(backend.runs, 2 * (3 + 2 + 5));
  EXPECT_EQ(backend.batches.back(), 8);
  EXPECT_LE(rows[0].latency.p50, rows[0].latency.p90);
  EXPECT_LE(rows[0].latency.p90, rows[0].latency.p99);
  EXPECT_GT(rows[0].latency.per_second, 0);
  EXPECT_NE(describe(rows).find("batch  difference     p50 ms     p90 ms     p99 ms   examples/s\n      1    1.00e-02"),
            std::string::npos)
      << describe(rows);
}

TEST(CheckBackend, SeesAnEngineThatIsRightOnlyTheFirstTime) {
  Multiplier backend(2, 2);
  Multiplier reference(2);
  EXPECT_GT(worst_difference(check_backend(backend, reference, {.batches = {4}, .warm_up = 0, .runs = 1})), 1);
}

TEST(CheckBackend, AllowsWhatTheCoarsestPrecisionAllows) {
  const auto tolerance = [](const std::vector<std::string>& precisions) { return default_tolerance(precisions); };
  EXPECT_EQ(tolerance({"fp32"}), 1e-4);
  EXPECT_EQ(tolerance({"fp16"}), 1e-2);
  EXPECT_EQ(tolerance({"int8"}), 1e-1);
  EXPECT_EQ(tolerance({"fp32", "fp16"}), 1e-2);
  EXPECT_EQ(tolerance({"int8", "auto"}), 1e-1);
}

#ifdef SCAFFOLD_WITH_ONNXRUNTIME

TEST(CheckBackend, FindsNoDifferenceBetweenAnEngineAndItself) {
  const MemoryFolder folder;
  write_export(folder / "7", small_graph());
  const auto backend = load_backend(folder / "7", "cpu");
  const auto reference = load_backend(folder / "7", "cpu");
  const auto rows = check_backend(*backend, *reference, {.batches = {1, 64}, .warm_up = 1, .runs = 3});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(worst_difference(rows), 0);
}

class CheckBackendProgram : public testing::Test {
 protected:
  CheckBackendProgram() { write_export(folder_ / "7", small_graph()); }

  // Gives the exit code.
  int run(const std::string& arguments) {
    const int status =
        std::system(format("cd '{}' && '{}' {} >out 2>err", folder_.path(), CHECK_BACKEND_PROGRAM, arguments).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  MemoryFolder folder_;
};

TEST_F(CheckBackendProgram, PrintsLatencyAndThroughputForEachBatch) {
  EXPECT_EQ(0, run("--export 7 --target cpu --batches 1,8 --runs 5 --warm_up 1")) << folder_.read("err");
  EXPECT_THAT(
      folder_.read("out"),
      testing::ContainsRegex("ONNX Runtime .*\ncompared with ONNX Runtime .*\n +batch +difference +p50 ms +p90 ms "
                             "+p99 ms +examples/s\n +1 +0.00e\\+00 .*\n +8 +0.00e\\+00 "));
}

TEST_F(CheckBackendProgram, AllowsWhatThePrecisionOfTheExportAllows) {
  write_export(folder_ / "7-int8", small_graph(), {}, "int8");
  const std::string flags = " --target cpu --batches 1 --runs 1 --warm_up 0";
  const auto allowed = [&](const std::string& text) {
    return testing::ContainsRegex("compared with ONNX Runtime .*; " + text + " may differ\n");
  };
  EXPECT_EQ(0, run("--export 7" + flags));
  EXPECT_THAT(folder_.read("out"), allowed("1.00e-04"));
  EXPECT_EQ(0, run("--export 7-int8" + flags));
  EXPECT_THAT(folder_.read("out"), allowed("1.00e-01"));
  EXPECT_EQ(0, run("--export 7-int8 --tolerance 0.02" + flags));
  EXPECT_THAT(folder_.read("out"), allowed("2.00e-02"));
}

TEST_F(CheckBackendProgram, SaysThatTensorRtIsNotThere) {
#ifdef SCAFFOLD_WITH_TENSORRT
  EXPECT_EQ(2, run("--export 7"));
  EXPECT_THAT(folder_.read("err"), testing::StartsWith("device error: no engine can run on the target: tensorrt:0 ("));
#else
  EXPECT_EQ(9, run("--export 7"));
  EXPECT_THAT(folder_.read("err"),
              testing::StartsWith("backend error: this program has no engine for the target: tensorrt:0\n"));
#endif
}

TEST_F(CheckBackendProgram, RefusesRangesThatMakeNoSense) {
  EXPECT_EQ(3, run("--export 7 --target cpu --tensorrt.axes batch=8:1"));
  EXPECT_THAT(folder_.read("err"), testing::StartsWith("usage error: this is no range of an axis: batch=8:1\n"));
}

#endif

TEST(RandomInputs, AreTheSameForTheSameSeedAndFitTheSignature) {
  const Signature signature{.inputs = {{"f", DType::kF32, {{2, "batch"}, {500}}},
                                       {"h", DType::kF16, {{500}}},
                                       {"i", DType::kI64, {{2, "batch"}, {7, "length"}}},
                                       {"b", DType::kBool, {}}},
                            .outputs = {}};
  const RandomInputs a(signature, {{"batch", 3}}, 1);
  const RandomInputs b(signature, {{"batch", 3}}, 1);
  const RandomInputs c(signature, {{"batch", 3}}, 2);
  EXPECT_EQ(match_inputs(signature, a.views()).size(), 4U);
  EXPECT_EQ(a.views()[0].shape, (std::vector<std::int64_t>{3, 500}));
  EXPECT_EQ(a.views()[2].shape, (std::vector<std::int64_t>{3, 7}));
  EXPECT_TRUE(std::ranges::equal(a.views()[0].bytes, b.views()[0].bytes));
  EXPECT_FALSE(std::ranges::equal(a.views()[0].bytes, c.views()[0].bytes));
  std::vector<float> floats(1500);
  std::memcpy(floats.data(), a.views()[0].bytes.data(), a.views()[0].bytes.size());
  EXPECT_LT(*std::ranges::min_element(floats), -0.9F);
  EXPECT_GT(*std::ranges::max_element(floats), 0.9F);
  EXPECT_TRUE(std::ranges::all_of(floats, [](float value) { return -1 <= value && value <= 1; }));
  std::vector<double> zeros(500);
  const TensorView nothing{"h", DType::kF64, {500}, std::as_bytes(std::span(zeros))};
  zeros[0] = 1;
  EXPECT_LT(compare_answers(a.views().subspan(1, 1), std::span(&nothing, 1))[0].difference, 2);
  for (const std::byte value : a.views()[3].bytes) EXPECT_LE(static_cast<int>(value), 1);
}

}  // namespace
}  // namespace base
