// onnx_index.h: what passes ask of an OnnxGraph: who makes a value, who takes it, which type it has.
#ifndef BASE_EXPORT_ONNX_INDEX_H_
#define BASE_EXPORT_ONNX_INDEX_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/export/onnx_graph.h"

namespace base {

/// Answers about a graph as it is when this is made; the graph must outlive it and stay as it is.
class OnnxIndex {
 public:
  explicit OnnxIndex(const OnnxGraph& graph);

  /// The node that makes the value; null for inputs and constants.
  const OnnxNode* maker(const std::string& value) const;
  /// Null if the value is not a constant.
  const OnnxTensor* constant(const std::string& value) const;
  /// The nodes that take the value, by their place in the graph; one that takes it twice is there twice.
  const std::vector<std::size_t>& takers(const std::string& value) const;
  bool is_output(const std::string& value) const { return outputs_.contains(value); }
  /// Whether the value has one use, and that is a node.
  bool is_used_once(const std::string& value) const { return takers(value).size() == 1 && !is_output(value); }

  /// As the graph says, or as follows from the operators. Of a value that is not in the graph: none.
  std::optional<DType> dtype(const std::string& value) const;
  bool is_float(const std::string& value) const { return dtype(value) == DType::kF32; }

 private:
  void add_types(const OnnxGraph& graph);

  std::map<std::string, const OnnxNode*> makers_;
  std::map<std::string, const OnnxTensor*> constants_;
  std::map<std::string, std::vector<std::size_t>> takers_;
  std::set<std::string> outputs_;
  std::map<std::string, DType> types_;
};

/// Names for values that a pass adds: none is in the graph, none is given twice.
class OnnxNames {
 public:
  explicit OnnxNames(const OnnxGraph& graph);
  /// The name itself if it is free, or with a number at its end.
  std::string fresh(const std::string& wanted);

 private:
  std::set<std::string> used_;
};

/// An attribute of that type, or what it is if it is left out.
template <typename T>
T attribute_or(const OnnxNode& node, const std::string& name, T otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value != nullptr ? *value : otherwise;
}

/// Whether `name` is one of `layers` or below one: "encoder/0/Gemm" is below "encoder".
bool is_below(const std::string& name, const std::vector<std::string>& layers);

}  // namespace base

#endif  // BASE_EXPORT_ONNX_INDEX_H_
