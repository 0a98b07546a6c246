#include "tests/export/graphs.h"

#include <cmath>
#include <random>

#include "base/export/onnx_tensor.h"

namespace export_test {
namespace {

using base::Axis;
using base::DType;
using base::make_tensor;
using base::OnnxGraph;
using base::OnnxTensor;
using Shape = std::vector<std::int64_t>;

const Axis kBatch{.size = 2, .name = "batch"};
const Axis kLength{.size = 6, .name = "length"};

/// Weights as a network starts with, the same ones in every run.
OnnxTensor weights(const std::string& name, const Shape& shape) {
  std::uint32_t seed = 7;
  for (const char letter : name) seed = seed * 31 + static_cast<unsigned char>(letter);
  std::mt19937 random(seed);
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  const double inputs = shape.size() > 1 ? static_cast<double>(count) / static_cast<double>(shape[0]) : 16;
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    const double unit = static_cast<double>(random()) / 4294967296.0;  // the standard's distributions differ by library
    number = static_cast<float>((2 * unit - 1) * std::sqrt(3 / inputs));
  }
  return floats(name, shape, std::move(numbers));
}

std::vector<Axis> axes_of(const Shape& sizes, std::vector<Axis> axes = {kBatch}) {
  for (const std::int64_t size : sizes) axes.push_back({.size = size});
  return axes;
}

}  // namespace

OnnxTensor floats(const std::string& name, Shape shape, std::vector<float> numbers) {
  return make_tensor(name, DType::kF32, std::move(shape), std::move(numbers));
}

OnnxTensor integers(const std::string& name, std::vector<std::int64_t> numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  return make_tensor(name, DType::kI64, {count}, std::move(numbers));
}

const OnnxTensor* find_constant(const OnnxGraph& graph, const std::string& name) {
  for (const OnnxTensor& constant : graph.initializers)
    if (constant.view.name == name) return &constant;
  return nullptr;
}

const base::OnnxNode* maker_of(const OnnxGraph& graph, const std::string& value) {
  for (const base::OnnxNode& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (output == value) return &node;
  return nullptr;
}

std::vector<std::string> operations_of(const OnnxGraph& graph) {
  std::vector<std::string> operations;
  for (const base::OnnxNode& node : graph.nodes) operations.push_back(node.operation);
  return operations;
}

OnnxGraph mlp() {
  OnnxGraph graph{.name = "mlp"};
  graph.signature.inputs = {{"x", DType::kF32, axes_of({8})}};
  graph.signature.outputs = {{"y", DType::kF32, axes_of({4})}};
  graph.initializers = {weights("hidden.weight", {16, 8}), weights("hidden.bias", {16}),
                        weights("head.weight", {16, 4}), weights("head.bias", {4})};
  graph.nodes = {
      {"Gemm", {"x", "hidden.weight", "hidden.bias"}, {"hidden"}, {{"transB", std::int64_t{1}}}, "hidden/Gemm"},
      {"Relu", {"hidden"}, {"active"}, {}, "relu/Relu"},
      {"MatMul", {"active", "head.weight"}, {"product"}, {}, "head/MatMul"},
      {"Add", {"product", "head.bias"}, {"y"}, {}, "head/Add"},
  };
  graph.values = {{"hidden", {DType::kF32, axes_of({16})}},
                  {"active", {DType::kF32, axes_of({16})}},
                  {"product", {DType::kF32, axes_of({4})}}};
  graph.metadata = {{"step", "400"}};
  return graph;
}

OnnxGraph cnn() {
  OnnxGraph graph{.name = "cnn"};
  graph.signature.inputs = {{"image", DType::kF32, axes_of({3, 12, 12})}};
  graph.signature.outputs = {{"probabilities", DType::kF32, axes_of({5})}};
  graph.initializers = {weights("conv1.weight", {8, 3, 3, 3}), weights("conv1.bias", {8}),
                        weights("conv2.weight", {8, 8, 3, 3}), weights("conv2.bias", {8}),
                        weights("fc.weight", {5, 128}),        weights("fc.bias", {5})};
  graph.nodes = {
      {"Conv", {"image", "conv1.weight", "conv1.bias"}, {"c1"}, {{"pads", Shape{1, 1, 1, 1}}}, "conv1/Conv"},
      {"Relu", {"c1"}, {"r1"}, {}, "Relu"},
      {"MaxPool", {"r1"}, {"p1"}, {{"kernel_shape", Shape{2, 2}}, {"strides", Shape{2, 2}}}, "MaxPool"},
      {"Conv", {"p1", "conv2.weight", "conv2.bias"}, {"c2"}, {{"kernel_shape", Shape{3, 3}}}, "conv2/Conv"},
      {"Relu", {"c2"}, {"r2"}, {}, "Relu_1"},
      {"Flatten", {"r2"}, {"flat"}, {{"axis", std::int64_t{1}}}, "Flatten"},
      {"Gemm", {"flat", "fc.weight", "fc.bias"}, {"scores"}, {{"transB", std::int64_t{1}}}, "fc/Gemm"},
      {"Softmax", {"scores"}, {"probabilities"}, {{"axis", std::int64_t{-1}}}, "Softmax"},
  };
  graph.values = {{"c1", {DType::kF32, axes_of({8, 12, 12})}}, {"r1", {DType::kF32, axes_of({8, 12, 12})}},
                  {"p1", {DType::kF32, axes_of({8, 6, 6})}},   {"c2", {DType::kF32, axes_of({8, 4, 4})}},
                  {"r2", {DType::kF32, axes_of({8, 4, 4})}},   {"flat", {DType::kF32, axes_of({128})}},
                  {"scores", {DType::kF32, axes_of({5})}}};
  return graph;
}

OnnxGraph residual() {
  OnnxGraph graph{.name = "residual"};
  graph.signature.inputs = {{"image", DType::kF32, axes_of({4, 8, 8})}};
  graph.signature.outputs = {{"scores", DType::kF32, axes_of({3})}};
  graph.initializers = {weights("conv1.weight", {4, 4, 3, 3}), weights("conv2.weight", {4, 4, 3, 3}),
                        weights("conv2.bias", {4}), weights("fc.weight", {3, 4}), weights("fc.bias", {3})};
  graph.nodes = {
      {"Conv", {"image", "conv1.weight"}, {"c1"}, {{"pads", Shape{1, 1, 1, 1}}}, "block/conv1/Conv"},
      {"Relu", {"c1"}, {"r1"}, {}, "block/Relu"},
      {"Conv", {"r1", "conv2.weight", "conv2.bias"}, {"c2"}, {{"pads", Shape{1, 1, 1, 1}}}, "block/conv2/Conv"},
      {"Add", {"c2", "image"}, {"sum"}, {}, "block/Add"},
      {"Relu", {"sum"}, {"r2"}, {}, "block/Relu_1"},
      {"GlobalAveragePool", {"r2"}, {"pooled"}, {}, "pool/GlobalAveragePool"},
      {"Flatten", {"pooled"}, {"flat"}, {}, "Flatten"},
      {"Gemm", {"flat", "fc.weight", "fc.bias"}, {"scores"}, {{"transB", std::int64_t{1}}}, "fc/Gemm"},
  };
  for (const char* name : {"c1", "r1", "c2", "sum", "r2"}) graph.values[name] = {DType::kF32, axes_of({4, 8, 8})};
  graph.values["pooled"] = {DType::kF32, axes_of({4, 1, 1})};
  graph.values["flat"] = {DType::kF32, axes_of({4})};
  return graph;
}

OnnxGraph attention() {
  OnnxGraph graph{.name = "attention"};
  const auto wide = axes_of({16}, {kBatch, kLength});
  const std::vector<Axis> square = {kBatch, kLength, kLength};
  graph.signature.inputs = {{"x", DType::kF32, wide}};
  graph.signature.outputs = {{"y", DType::kF32, wide}};
  graph.initializers = {weights("norm.weight", {16}),
                        weights("norm.bias", {16}),
                        weights("query.weight", {16, 16}),
                        weights("key.weight", {16, 16}),
                        weights("value.weight", {16, 16}),
                        weights("out.weight", {16, 16}),
                        weights("out.bias", {16}),
                        floats("scale", {}, {0.25F}),
                        integers("first", {0}),
                        integers("two", {2}),
                        integers("minus_one", {-1})};
  graph.nodes = {
      {"LayerNormalization", {"x", "norm.weight", "norm.bias"}, {"n"}, {{"epsilon", 1e-5}}, "norm/LayerNormalization"},
      {"MatMul", {"n", "query.weight"}, {"q"}, {}, "query/MatMul"},
      {"MatMul", {"n", "key.weight"}, {"k"}, {}, "key/MatMul"},
      {"MatMul", {"n", "value.weight"}, {"v"}, {}, "value/MatMul"},
      {"Transpose", {"k"}, {"kt"}, {{"perm", Shape{0, 2, 1}}}, "Transpose"},
      {"MatMul", {"q", "kt"}, {"products"}, {}, "MatMul"},
      {"Mul", {"products", "scale"}, {"scaled"}, {}, "Mul"},
      {"Softmax", {"scaled"}, {"shares"}, {{"axis", std::int64_t{-1}}}, "Softmax"},
      {"MatMul", {"shares", "v"}, {"mixed"}, {}, "MatMul_1"},
      // As view() with sizes taken from the input is traced: rows of 16, and back.
      {"Reshape", {"mixed", "rows"}, {"flat"}, {}, "Reshape"},
      {"Gemm", {"flat", "out.weight", "out.bias"}, {"projected"}, {{"transB", std::int64_t{1}}}, "out/Gemm"},
      {"Shape", {"x"}, {"shape"}, {}, "Shape"},
      {"Slice", {"shape", "first", "two"}, {"outer"}, {}, "Slice"},
      {"Concat", {"outer", "minus_one"}, {"full"}, {{"axis", std::int64_t{0}}}, "Concat"},
      {"Reshape", {"projected", "full"}, {"unflat"}, {}, "Reshape_1"},
      {"Add", {"unflat", "x"}, {"y"}, {}, "Add"},
  };
  graph.initializers.push_back(integers("rows", {-1, 16}));
  for (const char* name : {"n", "q", "k", "v", "mixed", "unflat"}) graph.values[name] = {DType::kF32, wide};
  graph.values["kt"] = {DType::kF32, {kBatch, {.size = 16}, kLength}};
  for (const char* name : {"products", "scaled", "shares"}) graph.values[name] = {DType::kF32, square};
  graph.values["shape"] = {DType::kI64, {{.size = 3}}};
  graph.values["outer"] = {DType::kI64, {{.size = 2}}};
  graph.values["full"] = {DType::kI64, {{.size = 3}}};
  return graph;
}

OnnxGraph sentence() {
  OnnxGraph graph{.name = "sentence"};
  graph.signature.inputs = {{"tokens", DType::kI64, {kBatch, kLength}}};
  graph.signature.outputs = {{"scores", DType::kF32, axes_of({3})}, {"length_of_text", DType::kF32, {{.size = 1}}}};
  graph.initializers = {weights("embedding.weight", {50, 16}),
                        weights("fc.weight", {3, 16}),
                        weights("fc.bias", {3}),
                        integers("axis", {1}),
                        integers("one", {1}),
                        integers("two", {2})};
  graph.nodes = {
      {"Gather", {"embedding.weight", "tokens"}, {"embedded"}, {{"axis", std::int64_t{0}}}, "embedding/Gather"},
      {"ReduceSum", {"embedded", "axis"}, {"sum"}, {{"keepdims", std::int64_t{0}}}, "ReduceSum"},
      {"Shape", {"tokens"}, {"shape"}, {}, "Shape"},
      {"Slice", {"shape", "one", "two"}, {"count"}, {}, "Slice"},
      {"Cast", {"count"}, {"length_of_text"}, {{"to", std::int64_t{1}}}, "Cast"},
      {"Div", {"sum", "length_of_text"}, {"mean"}, {}, "Div"},
      {"Gemm", {"mean", "fc.weight", "fc.bias"}, {"scores"}, {{"transB", std::int64_t{1}}}, "fc/Gemm"},
  };
  graph.values = {{"embedded", {DType::kF32, axes_of({16}, {kBatch, kLength})}},
                  {"sum", {DType::kF32, axes_of({16})}},
                  {"shape", {DType::kI64, {{.size = 2}}}},
                  {"count", {DType::kI64, {{.size = 1}}}},
                  {"mean", {DType::kF32, axes_of({16})}}};
  return graph;
}

std::map<std::string, OnnxGraph> all_graphs() {
  return {
      {"mlp", mlp()}, {"cnn", cnn()}, {"residual", residual()}, {"attention", attention()}, {"sentence", sentence()}};
}

}  // namespace export_test
