// What TensorRT is asked for, without TensorRT: profiles, precisions, and the keys of plans.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/infer/tensorrt_plan_key.h"
#include "base/infer/tensorrt_precision.h"
#include "base/infer/tensorrt_profile.h"
#include "base/infer/tensorrt_settings.h"
#include "base/log/error.h"

namespace base {
namespace {

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Signature pictures_and_texts() {
  return {.inputs = {{"image", DType::kF32, {{4, "batch"}, {1}, {28}, {28}}},
                     {"words", DType::kI64, {{4, "batch"}, {12, "length"}}},
                     {"scale", DType::kF32, {}}},
          .outputs = {{"logits", DType::kF32, {{4, "batch"}, {10}}}}};
}

// ---- profiles

TEST(TensorRtProfile, GoesFromOneToTheExampleAndForABatchToSixtyFour) {
  const auto profile = make_profile(pictures_and_texts(), {});
  ASSERT_EQ(profile.size(), 3U);
  EXPECT_EQ(profile[0], (ShapeRange{"image", {1, 1, 28, 28}, {4, 1, 28, 28}, {64, 1, 28, 28}}));
  EXPECT_EQ(profile[1], (ShapeRange{"words", {1, 1}, {4, 12}, {64, 12}}));
  EXPECT_EQ(profile[2], (ShapeRange{"scale", {}, {}, {}}));
}

TEST(TensorRtProfile, TakesAnAxisByItsNameInEveryInput) {
  const auto profile = make_profile(pictures_and_texts(), axis_ranges_from_text("batch=2:8:32,length=16:128:512"));
  EXPECT_EQ(describe(profile),
            "image 2x1x28x28 8x1x28x28 32x1x28x28\nwords 2x16 8x128 32x512\nscale scalar scalar scalar");
}

TEST(TensorRtProfile, KeepsABatchThatWasExportedLargerThanSixtyFour) {
  const Signature signature{.inputs = {{"x", DType::kF32, {{256, "batch"}}}}, .outputs = {}};
  EXPECT_EQ(make_profile(signature, {})[0], (ShapeRange{"x", {1}, {256}, {256}}));
}

TEST(TensorRtProfile, NamesAllThatIsWrongAtOnce) {
  EXPECT_EQ(
      message_of([] {
        make_profile(pictures_and_texts(), {{"batch", {1, 8, 4}}, {"lenght", {1, 1, 1}}, {"length", {0, 1, 1}}});
      }),
      "usage error: the model has no such shapes: batch=1:8:4 is not in order from 1 to 2147483647; no dynamic axis is "
      "called lenght (there is: batch, length); length=0:1:1 is not in order from 1 to 2147483647\n"
      "  fix: give each dynamic axis its smallest, best and largest size: batch=1:8:64");
}

TEST(TensorRtProfile, ReadsRangesFromAFlag) {
  EXPECT_EQ(axis_ranges_from_text("batch=8").at("batch"), (AxisRange{8, 8, 8}));
  EXPECT_TRUE(axis_ranges_from_text("").empty());
  for (const char* wrong :
       {"batch", "batch=", "=1:2:3", "batch=1:2", "batch=1:2:3:4", "batch=1:2:", "batch=a", "batch=3:2:1",
        "batch=0:1:2", "batch=-1", "batch=1:2:99999999999", "batch=99999999999999999999"}) {
    EXPECT_EQ(message_of([&] { axis_ranges_from_text(wrong); }),
              std::string("usage error: this is no range of an axis: ") + wrong +
                  "\n  fix: give the axis with its smallest, best and largest size: batch=1:8:64");
  }
  EXPECT_EQ(message_of([] { axis_ranges_from_text("batch=1,batch=2"); }),
            "usage error: an axis has two ranges: batch\n  fix: give one");
}

TEST(TensorRtProfile, RefusesShapesThatThePlanWasNotBuiltFor) {
  const auto profile = make_profile(pictures_and_texts(), {});
  const TensorView image{"image", DType::kF32, {65, 1, 28, 28}, {}};
  const TensorView words{"words", DType::kI64, {64, 13}, {}};
  const TensorView scale{"scale", DType::kF32, {}, {}};
  EXPECT_EQ(message_of([&] {
              check_shapes(profile, std::vector<const TensorView*>{&image, &words, &scale});
            }),
            "usage error: the plan was built for other shapes: image is 65x1x28x28, not from 1x1x28x28 to 64x1x28x28; "
            "words is "
            "64x13, not from 1x1 to 64x12\n  fix: build it for these: give the axis a range, such as batch=1:8:64");
  const TensorView fits{"image", DType::kF32, {64, 1, 28, 28}, {}};
  const TensorView short_words{"words", DType::kI64, {64, 1}, {}};
  check_shapes(profile, std::vector<const TensorView*>{&fits, &short_words, &scale});
}

TEST(TensorRtSettings, GiveTheOptions) {
  TensorRtSettings settings;
  settings.axes = {"batch=1:2:3", "length=4"};
  settings.workspace_mb = 4096;
  const TensorRtOptions options = settings.options();
  EXPECT_EQ(options.axes.at("batch"), (AxisRange{1, 2, 3}));
  EXPECT_EQ(options.axes.at("length"), (AxisRange{4, 4, 4}));
  EXPECT_EQ(options.workspace_bytes, std::size_t{4} << 30U);
}

// ---- precisions

const OnnxFacts kFp32Graph{};
const OnnxFacts kFp16Graph{.files = {}, .sha256 = {}, .is_half = true, .is_quantized = false};
const OnnxFacts kInt8Graph{.files = {}, .sha256 = {}, .is_half = false, .is_quantized = true};

TEST(TensorRtPrecision, OfVersionElevenComesFromTheGraphAlone) {
  for (const OnnxFacts& graph : {kFp32Graph, kFp16Graph, kInt8Graph}) {
    EXPECT_EQ(precision_rules(Precision::kGraph, graph, 11), (PrecisionRules{.strongly_typed = true, .tf32 = true}));
  }
  EXPECT_EQ(precision_rules(Precision::kFp32, kFp32Graph, 11), (PrecisionRules{.strongly_typed = true, .tf32 = false}));
  EXPECT_EQ(precision_rules(Precision::kTf32, kFp32Graph, 11), (PrecisionRules{.strongly_typed = true, .tf32 = true}));
  EXPECT_EQ(precision_rules(Precision::kFp16, kFp16Graph, 11), (PrecisionRules{.strongly_typed = true, .tf32 = true}));
  EXPECT_EQ(precision_rules(Precision::kInt8, kInt8Graph, 11), (PrecisionRules{.strongly_typed = true, .tf32 = true}));
  EXPECT_EQ(message_of([] { precision_rules(Precision::kFp16, kFp32Graph, 11); }),
            "backend error: the graph is in fp32, so TensorRT cannot run it in another precision: fp16\n"
            "  fix: export the model in fp16: TensorRT 11 takes the precision from the graph alone");
}

TEST(TensorRtPrecision, OfVersionTenCanBeLoweredByFlags) {
  EXPECT_EQ(precision_rules(Precision::kGraph, kFp32Graph, 10), (PrecisionRules{.tf32 = true}));
  EXPECT_EQ(precision_rules(Precision::kFp32, kFp32Graph, 10), (PrecisionRules{}));
  EXPECT_EQ(precision_rules(Precision::kTf32, kFp32Graph, 10), (PrecisionRules{.tf32 = true}));
  EXPECT_EQ(precision_rules(Precision::kFp16, kFp32Graph, 10), (PrecisionRules{.tf32 = true, .fp16 = true}));
  EXPECT_EQ(precision_rules(Precision::kInt8, kInt8Graph, 10), (PrecisionRules{.tf32 = true, .int8 = true}));
}

TEST(TensorRtPrecision, OfAGraphWithTypesOfItsOwnIsKept) {
  EXPECT_EQ(precision_rules(Precision::kGraph, kFp16Graph, 10), (PrecisionRules{.strongly_typed = true, .tf32 = true}));
  EXPECT_EQ(precision_rules(Precision::kFp16, kFp16Graph, 10), (PrecisionRules{.strongly_typed = true, .tf32 = true}));
  OnnxFacts both = kFp16Graph;
  both.is_quantized = true;
  EXPECT_EQ(precision_rules(Precision::kInt8, both, 10), (PrecisionRules{.strongly_typed = true, .tf32 = true}));
}

TEST(TensorRtPrecision, IsNotMadeUp) {
  for (const int major : {10, 11}) {
    EXPECT_EQ(message_of([&] { precision_rules(Precision::kInt8, kFp32Graph, major); }),
              "backend error: the graph is in fp32, so TensorRT cannot run it in another precision: int8\n"
              "  fix: export the model in int8, with calibration data: the scales stand in the graph");
    EXPECT_EQ(message_of([&] { precision_rules(Precision::kTf32, kFp16Graph, major); }),
              "backend error: the graph is in fp16, so TensorRT cannot run it in another precision: tf32\n"
              "  fix: export the model in fp32, or ask for auto");
    EXPECT_EQ(message_of([&] { precision_rules(Precision::kFp16, kInt8Graph, major); }),
              "backend error: the graph is in int8, so TensorRT cannot run it in another precision: fp16\n"
              "  fix: export the model in fp16, or ask for auto");
  }
}

TEST(TensorRtPrecision, HasANameAndATolerance) {
  for (const char* name : {"auto", "fp32", "tf32", "fp16", "int8"}) {
    EXPECT_EQ(name_of(precision_from_text(name)), name);
    EXPECT_GT(tolerance_of(precision_from_text(name)), 0);
  }
  EXPECT_EQ(message_of([] { precision_from_text("fp64"); }),
            "usage error: TensorRT has no such precision: fp64\n  fix: give auto, fp32, tf32, fp16 or int8");
}

// ---- keys

TensorRtPlanKey some_key() {
  return {.tensorrt_version = "11.1.0.106",
          .compute_capability = "8.9",
          .onnx_sha256 = "ab12",
          .precision = Precision::kFp16,
          .profile = make_profile(pictures_and_texts(), {})};
}

TEST(TensorRtPlanKey, ChangesWithEachOfItsIngredients) {
  const std::vector<std::function<void(TensorRtPlanKey&)>> changes = {
      [](TensorRtPlanKey&) {},
      [](TensorRtPlanKey& key) { key.tensorrt_version = "11.1.0.107"; },
      [](TensorRtPlanKey& key) { key.compute_capability = "9.0"; },
      [](TensorRtPlanKey& key) { key.onnx_sha256 = "ab13"; },
      [](TensorRtPlanKey& key) { key.precision = Precision::kInt8; },
      [](TensorRtPlanKey& key) { key.profile[0].input = "picture"; },
      [](TensorRtPlanKey& key) { key.profile[0].min[0] = 2; },
      [](TensorRtPlanKey& key) { key.profile[1].best[1] = 8; },
      [](TensorRtPlanKey& key) { key.profile[1].max[1] = 99; },
      [](TensorRtPlanKey& key) { key.profile.pop_back(); },
      [](TensorRtPlanKey& key) { key.workspace_bytes = 1; },
      [](TensorRtPlanKey& key) { key.optimization_level = 5; },
      [](TensorRtPlanKey& key) { key.version_compatible = true; },
      [](TensorRtPlanKey& key) { key.embed_lean_runtime = true; },
  };
  std::set<std::string> names;
  std::set<std::string> labels;
  for (const auto& change : changes) {
    TensorRtPlanKey key = some_key();
    change(key);
    names.insert(file_name(key));
    labels.insert(describe(key));
  }
  EXPECT_EQ(names.size(), changes.size());
  EXPECT_EQ(labels.size(), changes.size());
}

TEST(TensorRtPlanKey, IsTheSameForTheSameAndReadsAsText) {
  EXPECT_EQ(file_name(some_key()), file_name(some_key()));
  EXPECT_EQ(file_name(some_key()).size(), 32U + 5U);
  EXPECT_EQ(describe(some_key()),
            "tensorrt 11.1.0.106\ncompute capability 8.9\nonnx ab12\nprecision fp16\nprofile\n"
            "image 1x1x28x28 4x1x28x28 64x1x28x28\nwords 1x1 4x12 64x12\nscale scalar scalar scalar\n"
            "workspace 0\noptimization 3\nversion compatible no\nlean runtime inside no\n");
  EXPECT_EQ(timing_file_name(some_key()), "timings-11.1.0.106-8.9.cache");
}

TEST(TensorRtPlanKey, SharesTimingsAmongModelsButNotAmongGpus) {
  TensorRtPlanKey other = some_key();
  other.onnx_sha256 = "cd34";
  other.precision = Precision::kFp32;
  EXPECT_EQ(timing_file_name(other), timing_file_name(some_key()));
  other.compute_capability = "9.0";
  EXPECT_NE(timing_file_name(other), timing_file_name(some_key()));
}

}  // namespace
}  // namespace base
