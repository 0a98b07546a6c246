// onnx_graph.h: an ONNX model in memory, as a list of operators. Made from a trace, changed by passes, then written.
#ifndef BASE_EXPORT_ONNX_GRAPH_H_
#define BASE_EXPORT_ONNX_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/artifact/signature.h"

namespace base {

/// A constant: a weight, or an attribute that is a tensor. `owner` keeps the bytes of `view` alive.
struct OnnxTensor {
  TensorView view;  // its name is that of the value
  std::shared_ptr<const void> owner = nullptr;
};

using OnnxAttribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                   std::vector<std::string>, OnnxTensor>;

/// One operator. Inputs and outputs are names of values; an empty name is an optional one that is left out.
struct OnnxNode {
  std::string operation;  // "Conv"
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, OnnxAttribute> attributes = {};
  std::string name = {};  // the path of the layer that it comes from: "network/conv1/Conv"
};

/// What is known of a value between two operators.
struct OnnxValue {
  DType dtype = DType::kF32;
  std::vector<Axis> axes = {};
};

/// Nodes are in an order in which every value is made before it is used; every value is made once.
struct OnnxGraph {
  std::string name = "model";
  std::int64_t opset = 17;
  Signature signature = {};  // of inputs and outputs, which are values of these names
  std::vector<OnnxNode> nodes = {};
  std::vector<OnnxTensor> initializers = {};
  std::map<std::string, OnnxValue> values = {};  // types of values in between, as far as they are known
  std::map<std::string, std::string> metadata = {};
};

}  // namespace base

#endif  // BASE_EXPORT_ONNX_GRAPH_H_
