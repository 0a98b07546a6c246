#include "base/export/onnx_half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/export/onnx_check.h"
#include "base/export/onnx_index.h"
#include "base/export/onnx_tensor.h"
#include "base/records/half.h"
#include "tests/export/graphs.h"
#include "tests/export/random_graph.h"
#include "tests/tensor/message_of.h"

namespace {

using base::DType;
using base::float_of;
using base::half_of;
using base::OnnxGraph;
using base::OnnxIndex;
using base::problem_of;
using base::to_half;
using export_test::find_constant;
using export_test::floats;
using export_test::maker_of;
using export_test::operations_of;
using export_test::type_problem_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

DType type_of(const OnnxGraph& graph, const std::string& value) {
  return OnnxIndex(graph).dtype(value).value();
}

long count(const OnnxGraph& graph, const std::string& operation) {
  return std::ranges::count(operations_of(graph), operation);
}

// x -> the nodes -> y, all of shape [4, 4].
OnnxGraph chain(std::vector<base::OnnxNode> nodes, std::vector<base::OnnxTensor> constants = {}) {
  const std::vector<base::Axis> axes = {{.size = 4}, {.size = 4}};
  OnnxGraph graph;
  graph.signature = {.inputs = {{"x", DType::kF32, axes}}, .outputs = {{"y", DType::kF32, axes}}};
  graph.nodes = std::move(nodes);
  graph.initializers = std::move(constants);
  return graph;
}

TEST(Half, EveryHalfIsTheSameAfterFloat) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float number = float_of(half);
    if (std::isnan(number)) {
      EXPECT_TRUE(std::isnan(float_of(half_of(number))));
    } else {
      ASSERT_EQ(half_of(number), half) << number;
    }
  }
}

TEST(Half, RoundsToTheNearestAndHalfWayToEven) {
  for (std::uint16_t half = 0; half < 0x7bff; ++half) {
    const float low = float_of(half);
    const float high = float_of(static_cast<std::uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;  // exact: a float has more digits
    const std::uint16_t even = half % 2 == 0 ? half : static_cast<std::uint16_t>(half + 1);
    ASSERT_EQ(half_of(middle), even);
    ASSERT_EQ(half_of(std::nextafter(middle, 0.F)), half);
    ASSERT_EQ(half_of(std::nextafter(middle, INFINITY)), half + 1);
    ASSERT_EQ(half_of(-middle), even | 0x8000);
  }
  EXPECT_EQ(half_of(65519.9F), 0x7bff);
  EXPECT_EQ(half_of(65520.F), 0x7c00);
  EXPECT_EQ(half_of(-1e30F), 0xfc00);
  EXPECT_EQ(half_of(1e-40F), 0);
}

TEST(ToHalf, ComputesInHalfBetweenCastsAtTheBorder) {
  const OnnxGraph half = to_half(export_test::mlp());
  EXPECT_EQ("", problem_of(half));
  EXPECT_THAT(operations_of(half), ElementsAre("Cast", "Gemm", "Relu", "MatMul", "Add", "Cast"));
  EXPECT_EQ(half.signature, export_test::mlp().signature);
  for (const auto& constant : half.initializers) EXPECT_EQ(constant.view.dtype, DType::kF16) << constant.view.name;
  EXPECT_NE(find_constant(half, "hidden.weight"), nullptr);
  EXPECT_EQ(half.values.at("hidden").dtype, DType::kF16);
  const auto before = to_floats(*find_constant(export_test::mlp(), "hidden.weight"));
  const auto after = to_floats(*find_constant(half, "hidden.weight"));
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], std::fabs(before[i]) / 2048);
}

TEST(ToHalf, TakesAndGivesHalfIfAsked) {
  const OnnxGraph half = to_half(export_test::mlp(), {.half_inputs_and_outputs = true});
  EXPECT_THAT(operations_of(half), Not(Contains("Cast")));
  EXPECT_EQ(half.signature.inputs[0].dtype, DType::kF16);
  EXPECT_EQ(half.signature.outputs[0].dtype, DType::kF16);
}

TEST(ToHalf, KeepsOperatorsThatOverflowInSingle) {
  const OnnxGraph half = to_half(export_test::attention());
  EXPECT_EQ("", problem_of(half));
  EXPECT_EQ("", type_problem_of(half));
  EXPECT_EQ(type_of(half, maker_of(half, "shares")->inputs[0]), DType::kF32);
  EXPECT_EQ(type_of(half, maker_of(half, "n")->inputs[1]), DType::kF32);
  EXPECT_EQ(type_of(half, "q"), DType::kF16);
  EXPECT_EQ(type_of(half, "full"), DType::kI64);
  // x for LayerNormalization is F32 as it comes; the sum at the end is in half, so x is cast for it.
  EXPECT_EQ(count(half, "Cast"), 5);
}

TEST(ToHalf, LeavesWhatIsBetweenTwoIslandsInSingle) {
  const OnnxGraph half = to_half(chain({{"Exp", {"x"}, {"a"}},
                                        {"Add", {"a", "one"}, {"b"}},
                                        {"Transpose", {"b"}, {"c"}},
                                        {"Log", {"c"}, {"d"}},
                                        {"MatMul", {"d", "w"}, {"y"}}},
                                       {floats("one", {}, {1.F}), floats("w", {4, 4}, std::vector<float>(16, 1.F))}));
  EXPECT_THAT(operations_of(half), ElementsAre("Exp", "Add", "Transpose", "Log", "Cast", "MatMul", "Cast"));
  EXPECT_EQ(find_constant(half, "one")->view.dtype, DType::kF32);
  EXPECT_EQ(find_constant(half, "w")->view.dtype, DType::kF16);
}

TEST(ToHalf, KeepsLayersOfWeightsThatHalfDoesNotHold) {
  const auto weight = [](float number) { return floats("w", {4, 4}, std::vector<float>(16, number)); };
  const auto kept = [&](float number) {
    return find_constant(to_half(chain({{"MatMul", {"x", "w"}, {"y"}}}, {weight(number)})), "w")->view.dtype;
  };
  EXPECT_EQ(kept(1.F), DType::kF16);
  EXPECT_EQ(kept(65504.F), DType::kF16);
  EXPECT_EQ(kept(65505.F), DType::kF32);
  EXPECT_EQ(kept(-1e9F), DType::kF32);
  EXPECT_EQ(kept(1e-5F), DType::kF32);
  EXPECT_EQ(kept(-INFINITY), DType::kF16);
  EXPECT_EQ(kept(0.F), DType::kF16);
}

TEST(ToHalf, TurnsNoWeightIntoZero) {
  const OnnxGraph half = to_half(chain({{"MatMul", {"x", "w"}, {"y"}}}, {floats("w", {2}, {1.F, -1e-10F})}));
  EXPECT_THAT(to_floats(*find_constant(half, "w")), ElementsAre(1.F, -base::kSmallestHalf));
}

TEST(ToHalf, KeepsLayersAndOperatorsThatAreNamed) {
  const OnnxGraph half = to_half(export_test::mlp(), {.keep = {"head"}});
  EXPECT_EQ(find_constant(half, "head.weight")->view.dtype, DType::kF32);
  EXPECT_EQ(find_constant(half, "hidden.weight")->view.dtype, DType::kF16);
  const OnnxGraph none = to_half(export_test::mlp(), {.keep_operations = {"Gemm", "MatMul"}});
  EXPECT_THAT(operations_of(none), Not(Contains("Cast")));
}

TEST(ToHalf, CastsIntegersOnce) {
  OnnxGraph graph = export_test::sentence();
  const OnnxGraph half = to_half(graph);
  EXPECT_EQ("", problem_of(half));
  EXPECT_EQ("", type_problem_of(half));
  for (const auto& node : half.nodes) {
    if (node.operation != "Cast") continue;
    const auto* before = maker_of(half, node.inputs[0]);
    EXPECT_TRUE(before == nullptr || before->operation != "Cast") << node.name;
  }
  EXPECT_EQ(find_constant(half, "embedding.weight")->view.dtype, DType::kF16);
  EXPECT_EQ(find_constant(half, "axis")->view.dtype, DType::kI64);
}

TEST(ToHalf, AdaptsWhatAttributesSayOfTypes) {
  const OnnxGraph half = to_half(chain({{"Shape", {"x"}, {"s"}},
                                        {"ConstantOfShape", {"s"}, {"zeros"}},
                                        {"ConstantOfShape", {"s"}, {"ones"}, {{"value", floats("", {1}, {1.F})}}},
                                        {"MatMul", {"x", "zeros"}, {"a"}},
                                        {"MatMul", {"a", "ones"}, {"y"}}}));
  EXPECT_EQ("", type_problem_of(half));
  for (const char* name : {"zeros", "ones"}) {
    const auto& value = std::get<base::OnnxTensor>(maker_of(half, name)->attributes.at("value"));
    EXPECT_EQ(value.view.dtype, DType::kF16) << name;
  }
  EXPECT_EQ(to_floats(std::get<base::OnnxTensor>(maker_of(half, "ones")->attributes.at("value")))[0], 1.F);
}

TEST(ToHalf, LeavesTheScalesOfResizeInSingle) {
  const OnnxGraph half =
      to_half(chain({{"MatMul", {"x", "w"}, {"a"}}, {"Resize", {"a", "", "scales"}, {"y"}}},
                    {floats("w", {4, 4}, std::vector<float>(16, 1.F)), floats("scales", {2}, {2.F, 2.F})}));
  EXPECT_EQ(find_constant(half, "scales")->view.dtype, DType::kF32);
  EXPECT_EQ(type_of(half, maker_of(half, "y_f16")->inputs[0]), DType::kF16);
}

TEST(ToHalf, RefusesAQuantisedModelOfAnOldOpset) {
  OnnxGraph graph = chain({{"QuantizeLinear", {"x", "s"}, {"q"}}, {"DequantizeLinear", {"q", "s"}, {"y"}}},
                          {floats("s", {}, {0.1F})});
  EXPECT_THAT(base::message_of(base::ErrorKind::kExport, [&] { to_half(graph); }), HasSubstr("opset 19 or later"));
  graph.opset = 19;
  EXPECT_EQ("", problem_of(to_half(graph)));
}

RC_GTEST_PROP(ToHalf, LeavesAWholeGraphWithTypesThatFit, (std::uint32_t seed, bool border)) {
  const OnnxGraph graph = export_test::random_graph(seed);
  RC_ASSERT(problem_of(graph).empty());
  const OnnxGraph half = to_half(graph, {.half_inputs_and_outputs = border});
  RC_ASSERT(problem_of(half) == "");
  RC_ASSERT(type_problem_of(half) == "");
  for (std::size_t i = 0; i < graph.signature.outputs.size(); ++i) {
    RC_ASSERT(half.signature.outputs[i].name == graph.signature.outputs[i].name);
    RC_ASSERT(half.signature.outputs[i].dtype == (border ? DType::kF16 : DType::kF32));
  }
}

}  // namespace
