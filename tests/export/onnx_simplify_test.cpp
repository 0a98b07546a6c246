#include "base/export/onnx_simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/export/onnx_check.h"
#include "base/export/onnx_tensor.h"
#include "tests/export/graphs.h"
#include "tests/export/random_graph.h"

namespace {

using base::DType;
using base::OnnxGraph;
using base::problem_of;
using base::simplified;
using base::with_folded_batch_norms;
using export_test::find_constant;
using export_test::floats;
using export_test::maker_of;
using export_test::operations_of;
using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

const base::OnnxAttribute kToF32 = std::int64_t{1};
const base::OnnxAttribute kToI64 = std::int64_t{7};
const base::OnnxAttribute kToF16 = std::int64_t{10};

OnnxGraph from_x(std::vector<base::OnnxNode> nodes, DType type = DType::kF32) {
  OnnxGraph graph;
  graph.signature = {.inputs = {{"x", type, {{.size = 4}}}}, .outputs = {{"y", DType::kF32, {{.size = 4}}}}};
  graph.nodes = std::move(nodes);
  return graph;
}

TEST(Simplified, DropsIdentitiesButNotTheNameOfAnOutput) {
  const OnnxGraph graph = simplified(from_x(
      {{"Identity", {"x"}, {"a"}}, {"Identity", {"a"}, {"b"}}, {"Relu", {"b"}, {"c"}}, {"Identity", {"c"}, {"y"}}}));
  EXPECT_EQ("", problem_of(graph));
  EXPECT_THAT(operations_of(graph), ElementsAre("Relu", "Identity"));
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x"));
}

TEST(Simplified, DropsWhatNobodyNeeds) {
  OnnxGraph graph = export_test::mlp();
  graph.nodes.push_back({"Relu", {"hidden"}, {"nobody"}});
  graph.nodes.push_back({"Add", {"nobody", "spare"}, {"neither"}});
  graph.initializers.push_back(floats("spare", {}, {1.F}));
  graph.values["nobody"] = {};
  graph = simplified(graph);
  EXPECT_EQ(operations_of(graph), operations_of(export_test::mlp()));
  EXPECT_EQ(find_constant(graph, "spare"), nullptr);
  EXPECT_FALSE(graph.values.contains("nobody"));
}

TEST(Simplified, ComputesCastsOfConstants) {
  OnnxGraph graph = from_x({{"Constant", {}, {"c"}, {{"value", export_test::integers("", {3, -2})}}},
                            {"Cast", {"c"}, {"f"}, {{"to", kToF32}}},
                            {"Add", {"x", "f"}, {"y"}}});
  graph = simplified(graph);
  EXPECT_THAT(operations_of(graph), ElementsAre("Add"));
  EXPECT_EQ(find_constant(graph, "f")->view.dtype, DType::kF32);
  EXPECT_THAT(to_floats(*find_constant(graph, "f")), ElementsAre(3.F, -2.F));
  EXPECT_EQ(find_constant(graph, "c"), nullptr);
}

TEST(Simplified, KeepsTheLastOfCastsThatLoseNothing) {
  const OnnxGraph widened = simplified(from_x({{"Cast", {"x"}, {"a"}, {{"to", kToF32}}},
                                               {"Cast", {"a"}, {"b"}, {{"to", kToF16}}},
                                               {"Cast", {"b"}, {"y"}, {{"to", kToF32}}}},
                                              DType::kF16));
  EXPECT_THAT(operations_of(widened), ElementsAre("Cast"));
  EXPECT_THAT(widened.nodes[0].inputs, ElementsAre("x"));
  const OnnxGraph cut =
      simplified(from_x({{"Cast", {"x"}, {"a"}, {{"to", kToI64}}}, {"Cast", {"a"}, {"y"}, {{"to", kToF32}}}}));
  EXPECT_THAT(operations_of(cut), ElementsAre("Cast", "Cast"));
}

TEST(Simplified, LeavesNoTransposedWeight) {
  OnnxGraph graph = from_x({{"Transpose", {"w"}, {"wt"}, {{"perm", std::vector<std::int64_t>{1, 0}}}},
                            {"Gemm", {"x", "wt"}, {"a"}},
                            {"MatMul", {"a", "wt"}, {"y"}}});
  graph.initializers = {floats("w", {2, 3}, {1, 2, 3, 4, 5, 6})};
  graph = simplified(graph);
  EXPECT_EQ("", problem_of(graph));
  EXPECT_THAT(operations_of(graph), ElementsAre("Gemm", "MatMul"));
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x", "w"));
  EXPECT_EQ(std::get<std::int64_t>(graph.nodes[0].attributes.at("transB")), 1);
  EXPECT_THAT(find_constant(graph, "wt")->view.shape, ElementsAre(3, 2));
  EXPECT_THAT(to_floats(*find_constant(graph, "wt")), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Converted, FollowsTheRulesOfCast) {
  const auto numbers = floats("n", {4}, {2.9F, -2.9F, 0.F, 1e-3F});
  EXPECT_THAT(to_floats(converted(numbers, DType::kI64)), ElementsAre(2, -2, 0, 0));
  EXPECT_THAT(to_floats(converted(numbers, DType::kBool)), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(to_floats(converted(numbers, DType::kF64)), ElementsAre(2.9F, -2.9F, 0.F, 1e-3F));
  EXPECT_THAT(to_floats(converted(numbers, DType::kBF16)), Pointwise(FloatNear(0.02F), {2.9F, -2.9F, 0.F, 1e-3F}));
}

TEST(BatchNorms, BecomePartOfTheConvolution) {
  OnnxGraph graph = export_test::residual();
  // As a convolution without bias, followed by 2 * (x - 3) / sqrt(3 + 1) + 5 in each channel.
  graph.nodes[0].outputs = {"before"};
  graph.nodes.insert(
      graph.nodes.begin() + 1,
      {"BatchNormalization", {"before", "bn.weight", "bn.bias", "bn.mean", "bn.variance"}, {"c1"}, {{"epsilon", 1.0}}});
  for (const auto& [name, number] :
       std::map<std::string, float>{{"bn.weight", 2}, {"bn.bias", 5}, {"bn.mean", 3}, {"bn.variance", 3}})
    graph.initializers.push_back(floats(name, {4}, std::vector<float>(4, number)));
  ASSERT_EQ("", problem_of(graph));
  const OnnxGraph folded = with_folded_batch_norms(graph);
  EXPECT_EQ("", problem_of(folded));
  EXPECT_EQ(operations_of(folded), operations_of(export_test::residual()));
  const auto* conv = maker_of(folded, "c1");
  ASSERT_EQ(conv->inputs.size(), 3U);
  EXPECT_THAT(to_floats(*find_constant(folded, conv->inputs[1])),
              Pointwise(FloatNear(1e-6F), to_floats(*find_constant(graph, "conv1.weight"))));
  EXPECT_THAT(to_floats(*find_constant(folded, conv->inputs[2])), ElementsAre(2.F, 2.F, 2.F, 2.F));
}

TEST(BatchNorms, StayWhereTheConvolutionIsUsedElsewhere) {
  OnnxGraph graph = export_test::residual();
  graph.nodes.insert(graph.nodes.begin() + 1, {"BatchNormalization", {"c1", "s", "s", "s", "s"}, {"normed"}});
  graph.nodes[2].inputs = {"normed"};
  graph.nodes[3].inputs[0] = "c1";
  graph.nodes[4].inputs[1] = "r1";
  graph.initializers.push_back(floats("s", {4}, std::vector<float>(4, 1.F)));
  ASSERT_EQ("", problem_of(graph));
  EXPECT_EQ(operations_of(with_folded_batch_norms(graph)), operations_of(graph));
}

RC_GTEST_PROP(Simplified, LeavesAWholeGraphThatIsSimple, (std::uint32_t seed)) {
  const OnnxGraph graph = export_test::random_graph(seed);
  const OnnxGraph simple = simplified(graph);
  RC_ASSERT(problem_of(simple) == "");
  RC_ASSERT(export_test::type_problem_of(simple) == "");
  RC_ASSERT(simple.signature == graph.signature);
  RC_ASSERT(simple.nodes.size() <= graph.nodes.size());
  RC_ASSERT(operations_of(simplified(simple)) == operations_of(simple));
}

}  // namespace
