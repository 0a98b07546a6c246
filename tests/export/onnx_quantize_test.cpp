#include "base/export/onnx_quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/export/onnx_check.h"
#include "base/export/onnx_tensor.h"
#include "tests/export/graphs.h"
#include "tests/export/random_graph.h"
#include "tests/tensor/message_of.h"

namespace {

using base::calibration_points;
using base::DType;
using base::OnnxGraph;
using base::OnnxNode;
using base::problem_of;
using base::quantized;
using base::QuantizedFor;
using base::QuantizeOptions;
using base::Ranges;
using export_test::find_constant;
using export_test::floats;
using export_test::maker_of;
using export_test::operations_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const QuantizeOptions kOnnxRuntime{.engine = QuantizedFor::kOnnxRuntime};

Ranges ranges_for(const OnnxGraph& graph, const QuantizeOptions& options = {}) {
  Ranges ranges;
  for (const std::string& point : calibration_points(graph, options)) ranges[point] = {.least = -1, .most = 3};
  return ranges;
}

// The numbers that a DequantizeLinear of constants makes.
std::vector<float> dequantized(const OnnxGraph& graph, const OnnxNode& node) {
  const auto* integers = find_constant(graph, node.inputs[0]);
  const auto numbers = to_floats(*integers);
  const auto steps = to_floats(*find_constant(graph, node.inputs[1]));
  std::size_t inner = numbers.size();
  if (const auto axis = node.attributes.find("axis"); axis != node.attributes.end()) {
    inner = 1;
    for (auto i = static_cast<std::size_t>(std::get<std::int64_t>(axis->second)) + 1; i < integers->view.shape.size();
         ++i)
      inner *= static_cast<std::size_t>(integers->view.shape[i]);
  }
  std::vector<float> made;
  for (std::size_t i = 0; i < numbers.size(); ++i) made.push_back(numbers[i] * steps[i / inner % steps.size()]);
  return made;
}

TEST(CalibrationPoints, AreWhereInputsOfLayersComeFrom) {
  EXPECT_THAT(calibration_points(export_test::mlp()), ElementsAre("x", "active"));
  // conv2 takes what MaxPool picks of r1, fc what Flatten moves of r2.
  EXPECT_THAT(calibration_points(export_test::cnn()), ElementsAre("image", "r1", "r2"));
  EXPECT_THAT(calibration_points(export_test::attention()), ElementsAre("n", "q", "k", "shares", "v", "mixed"));
}

TEST(CalibrationPoints, HaveTheShortcutOfASum) {
  EXPECT_THAT(calibration_points(export_test::residual()), ElementsAre("image", "r1", "pooled"));
  EXPECT_THAT(calibration_points(export_test::residual(), kOnnxRuntime),
              ElementsAre("image", "r1", "c2", "r2", "pooled"));
}

TEST(CalibrationPoints, LeaveOutLayersThatAreNamed) {
  EXPECT_THAT(calibration_points(export_test::cnn(), {.keep = {"conv1", "fc"}}), ElementsAre("r1"));
  EXPECT_THAT(calibration_points(export_test::cnn(), {.keep = {"conv"}}), ElementsAre("image", "r1", "r2"));
  EXPECT_THAT(calibration_points(export_test::residual(), {.keep = {"block"}}), ElementsAre("pooled"));
}

TEST(WithOutputs, ShowsValuesWithTheirTypes) {
  const OnnxGraph graph = with_outputs(export_test::mlp(), {"x", "active", "y"});
  ASSERT_EQ(graph.signature.outputs.size(), 2U);
  EXPECT_EQ(graph.signature.outputs[0].name, "y");
  EXPECT_EQ(graph.signature.outputs[1], (base::TensorSpec{"active", DType::kF32, {{2, "batch"}, {16}}}));
}

TEST(Quantized, RoundsInputsAndWeightsOfLayersForTensorRt) {
  const OnnxGraph graph = quantized(export_test::cnn(), ranges_for(export_test::cnn()));
  EXPECT_EQ("", problem_of(graph));
  EXPECT_EQ("", export_test::type_problem_of(graph));
  for (const char* made : {"c1", "c2", "scores"}) {
    const OnnxNode* layer = maker_of(graph, made);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(maker_of(graph, layer->inputs[i])->operation, "DequantizeLinear") << made << ' ' << i;
    EXPECT_NE(find_constant(graph, layer->inputs[2]), nullptr) << "the bias stays";
  }
  const OnnxNode* rounding = maker_of(graph, maker_of(graph, "c2")->inputs[0]);
  const OnnxNode* quantize = maker_of(graph, rounding->inputs[0]);
  EXPECT_EQ(quantize->inputs[0], "p1");
  EXPECT_EQ(to_floats(*find_constant(graph, quantize->inputs[1]))[0], 3.F / 127);
  EXPECT_EQ(find_constant(graph, quantize->inputs[2])->view.dtype, DType::kI8);
  EXPECT_EQ(to_floats(*find_constant(graph, quantize->inputs[2]))[0], 0.F);
  EXPECT_THAT(maker_of(graph, "r1")->inputs, ElementsAre("c1")) << "nothing between a convolution and its activation";
  EXPECT_EQ(find_constant(graph, "conv1.weight"), nullptr) << "the F32 weights are gone";
}

TEST(Quantized, ScalesWeightsByOutputChannel) {
  OnnxGraph graph = export_test::mlp();
  const OnnxGraph small = quantized(graph, ranges_for(graph));
  const OnnxNode* first = maker_of(small, maker_of(small, "hidden")->inputs[1]);  // [16 outputs, 8]
  EXPECT_EQ(std::get<std::int64_t>(first->attributes.at("axis")), 0);
  EXPECT_THAT(find_constant(small, first->inputs[1])->view.shape, ElementsAre(16));
  const OnnxNode* second = maker_of(small, maker_of(small, "product")->inputs[1]);  // [16, 4 outputs]
  EXPECT_EQ(std::get<std::int64_t>(second->attributes.at("axis")), 1);
  EXPECT_THAT(find_constant(small, second->inputs[1])->view.shape, ElementsAre(4));
  for (const auto& [node, name] : {std::pair(first, "hidden.weight"), std::pair(second, "head.weight")}) {
    const auto before = to_floats(*find_constant(graph, name));
    const auto after = dequantized(small, *node);
    float largest_step = 0;
    for (const float step : to_floats(*find_constant(small, node->inputs[1])))
      largest_step = std::max(largest_step, step);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], largest_step * 0.501F);
  }
}

TEST(Quantized, KeepsExactWhatIsMultiplesOfTheStep) {
  OnnxGraph graph = export_test::mlp();
  std::vector<float> numbers(16 * 8);
  for (std::size_t i = 0; i < numbers.size(); ++i)  // each row its own step, up to 127 of it; one row of zeros
    numbers[i] =
        static_cast<float>(i % 8 == 0 ? 127 : static_cast<int>(i * 37 % 255) - 127) * static_cast<float>(i / 8);
  graph.initializers[0] = floats("hidden.weight", {16, 8}, numbers);
  const OnnxGraph small = quantized(graph, ranges_for(graph));
  EXPECT_EQ(dequantized(small, *maker_of(small, maker_of(small, "hidden")->inputs[1])), numbers);
}

TEST(Quantized, LeavesRoomForTheSumsOfOnnxRuntime) {
  const auto largest = [](const QuantizeOptions& options) {
    const OnnxGraph graph = export_test::mlp();
    const OnnxGraph small = quantized(graph, ranges_for(graph, options), options);
    float most = 0;
    for (const float number : to_floats(*find_constant(small, "hidden.weight_quantized")))
      most = std::max(most, std::fabs(number));
    return most;
  };
  EXPECT_EQ(largest(kOnnxRuntime), 63.F);
  EXPECT_EQ(largest({}), 127.F);
}

TEST(Quantized, HasUnsignedValuesAndIntegerBiasesForOnnxRuntime) {
  const OnnxGraph graph = export_test::cnn();
  const OnnxGraph small = quantized(graph, ranges_for(graph, kOnnxRuntime), kOnnxRuntime);
  EXPECT_EQ("", problem_of(small));
  EXPECT_EQ(find_constant(small, "image_zero")->view.dtype, DType::kU8);
  EXPECT_EQ(to_floats(*find_constant(small, "image_zero"))[0], 64.F);  // a quarter of 255, rounded
  EXPECT_EQ(to_floats(*find_constant(small, "image_scale"))[0], 4.F / 255);
  const OnnxNode* bias = maker_of(small, maker_of(small, "c1")->inputs[2]);
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(find_constant(small, bias->inputs[0])->view.dtype, DType::kI32);
  const auto before = to_floats(*find_constant(graph, "conv1.bias"));
  const auto after = dequantized(small, *bias);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-3F);
  EXPECT_EQ(maker_of(small, maker_of(small, "p1")->inputs[0])->operation, "DequantizeLinear");
  EXPECT_EQ(to_floats(*find_constant(small, "r1_scale")), to_floats(*find_constant(small, "p1_scale")));
}

TEST(Quantized, SharesWeightsThatTwoLayersHave) {
  OnnxGraph graph = export_test::attention();
  for (OnnxNode& node : graph.nodes)
    if (node.name == "key/MatMul") node.inputs[1] = "query.weight";
  graph = quantized(graph, ranges_for(graph));
  EXPECT_EQ("", problem_of(graph));
  EXPECT_EQ(maker_of(graph, "q")->inputs[1], maker_of(graph, "k")->inputs[1]);
}

TEST(Quantized, NamesRangesThatAreMissing) {
  EXPECT_EQ(base::message_of(base::ErrorKind::kExport,
                             [] {
                               quantized(export_test::cnn(), {{"image", {0, 1}}});
                             }),
            "export error: ranges for quantisation are missing: r1, r2\n"
            "  fix: calibrate the same graph with the same options");
  Ranges ranges = ranges_for(export_test::cnn());
  ranges["r1"].most = INFINITY;
  EXPECT_THAT(base::message_of(base::ErrorKind::kExport, [&] { quantized(export_test::cnn(), ranges); }),
              HasSubstr("a range for quantisation is not finite: r1"));
}

TEST(Quantized, LeavesAGraphWithoutLayersAsItIs) {
  OnnxGraph graph = export_test::mlp();
  const QuantizeOptions options{.keep = {"hidden", "head"}};
  EXPECT_THAT(calibration_points(graph, options), IsEmpty());
  EXPECT_EQ(operations_of(quantized(graph, {}, options)), operations_of(graph));
}

RC_GTEST_PROP(Quantized, LeavesAWholeGraphWithTypesThatFit, (std::uint32_t seed, bool for_onnx_runtime)) {
  const OnnxGraph graph = export_test::random_graph(seed);
  const QuantizeOptions options{.engine = for_onnx_runtime ? QuantizedFor::kOnnxRuntime : QuantizedFor::kTensorRt};
  const OnnxGraph small = quantized(graph, ranges_for(graph, options), options);
  RC_ASSERT(problem_of(small) == "");
  RC_ASSERT(export_test::type_problem_of(small) == "");
  RC_ASSERT(small.signature == graph.signature);
}

}  // namespace
