// graphs.h: small networks as OnnxGraphs, made by hand, for the tests of passes and for the judge.
#ifndef TESTS_EXPORT_GRAPHS_H_
#define TESTS_EXPORT_GRAPHS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/export/onnx_graph.h"

namespace export_test {

/// Constants that own their numbers.
base::OnnxTensor floats(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> numbers);
base::OnnxTensor integers(const std::string& name, std::vector<std::int64_t> numbers);

/// Null if the graph has none of that name.
const base::OnnxTensor* find_constant(const base::OnnxGraph& graph, const std::string& name);
/// The node that makes the value; null if none does.
const base::OnnxNode* maker_of(const base::OnnxGraph& graph, const std::string& value);
std::vector<std::string> operations_of(const base::OnnxGraph& graph);

/// Two linear layers: x [batch, 8] -> y [batch, 4].
base::OnnxGraph mlp();
/// Conv, Relu, MaxPool, Conv, Relu, Flatten, Gemm, Softmax: image [batch, 3, 12, 12] -> probabilities [batch, 5].
base::OnnxGraph cnn();
/// Conv, Relu, Conv, Add, Relu, GlobalAveragePool, Flatten, Gemm: image [batch, 4, 8, 8] -> scores [batch, 3].
base::OnnxGraph residual();
/// One head of attention on x [batch, length, 16], with LayerNormalization and the shape taken from the input.
base::OnnxGraph attention();
/// Embedding of tokens I64 [batch, length], its mean by ReduceSum and Div, a linear layer: scores [batch, 3].
base::OnnxGraph sentence();

/// All of them by name.
std::map<std::string, base::OnnxGraph> all_graphs();

}  // namespace export_test

#endif  // TESTS_EXPORT_GRAPHS_H_
