#include "base/export/onnx_simplify.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/export/onnx_file.h"
#include "base/export/onnx_index.h"
#include "base/export/onnx_tensor.h"

namespace base {
namespace {

constexpr std::size_t kMostFoldedNumbers = std::size_t{1} << 20;  // larger constants are weights: better not twice

bool is_whole_number(DType dtype) {
  return dtype != DType::kF16 && dtype != DType::kBF16 && dtype != DType::kF32 && dtype != DType::kF64;
}

/// Whether a value keeps all that counts on its way through a type: a float in a wider one does, and so does what is
/// cast to a half, or to truth, after it.
bool keeps_all(DType from, DType through, DType to) {
  if (from == through) return true;
  const bool narrow = from == DType::kF16 || from == DType::kBF16 || from == DType::kBool;
  if (narrow && (through == DType::kF32 || through == DType::kF64)) return true;
  return is_whole_number(from) && through == DType::kF32 && (to == DType::kF16 || to == DType::kBF16);
}

/// A node becomes a name for something that is there already.
class Simplifier {
 public:
  explicit Simplifier(OnnxGraph graph) : graph_(std::move(graph)), index_(graph_) {}

  OnnxGraph run() {
    std::vector<OnnxNode> kept;
    for (const OnnxNode& original : graph_.nodes) {
      OnnxNode node = original;
      for (std::string& input : node.inputs) {
        if (const auto other = names_.find(input); other != names_.end()) input = other->second;
      }
      if (node.operation == "Cast") shorten(node);
      const bool is_output = node.outputs.size() != 1 || index_.is_output(node.outputs[0]);
      if (is_output || !is_gone(node)) kept.push_back(std::move(node));
    }
    OnnxGraph result = std::move(graph_);
    result.nodes = std::move(kept);
    for (OnnxTensor& constant : constants_) result.initializers.push_back(std::move(constant));
    return without_unused(std::move(result));
  }

 private:
  /// A cast of a cast takes what the first one takes.
  void shorten(OnnxNode& node) {
    const auto before = casts_.find(node.inputs[0]);
    if (before != casts_.end()) {
      const auto from = index_.dtype(before->second);
      const auto through = index_.dtype(node.inputs[0]);
      const auto to = index_.dtype(node.outputs[0]);
      if (from && through && to && keeps_all(*from, *through, *to)) node.inputs[0] = before->second;
    }
    casts_[node.outputs[0]] = node.inputs[0];
  }

  bool is_gone(const OnnxNode& node) {
    const std::string& output = node.outputs[0];
    if (node.operation == "Constant") {
      const auto value = node.attributes.find("value");
      const auto* tensor = value == node.attributes.end() ? nullptr : std::get_if<OnnxTensor>(&value->second);
      if (tensor == nullptr) return false;
      add_constant(output, *tensor);
      return true;
    }
    if (node.operation == "Identity" || (node.operation == "Cast" && is_same_type(node))) {
      names_[output] = node.inputs[0];
      return true;
    }
    if (node.operation != "Cast") return false;
    const OnnxTensor* constant = find_constant(node.inputs[0]);
    const auto to = index_.dtype(output);
    if (constant == nullptr || !to || count_of(*constant) > kMostFoldedNumbers) return false;
    add_constant(output, converted(*constant, *to));
    return true;
  }

  bool is_same_type(const OnnxNode& cast) const {
    const auto from = index_.dtype(cast.inputs[0]);
    return from && from == index_.dtype(cast.outputs[0]);
  }

  void add_constant(const std::string& name, OnnxTensor tensor) {
    tensor.view.name = name;
    constants_.push_back(std::move(tensor));
  }

  const OnnxTensor* find_constant(const std::string& name) const {
    const auto made = std::ranges::find(constants_, name, [](const OnnxTensor& tensor) { return tensor.view.name; });
    return made != constants_.end() ? &*made : index_.constant(name);
  }

  OnnxGraph graph_;
  OnnxIndex index_;
  std::map<std::string, std::string> names_;  // of values that are gone: what they were the same as
  std::map<std::string, std::string> casts_;  // what a cast's output was cast from
  std::vector<OnnxTensor> constants_;
};

}  // namespace

OnnxGraph simplified(OnnxGraph graph) {
  return Simplifier(std::move(graph)).run();
}

OnnxGraph without_unused(OnnxGraph graph) {
  std::set<std::string> needed;
  for (const TensorSpec& output : graph.signature.outputs) needed.insert(output.name);
  std::vector<OnnxNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_needed = std::ranges::any_of(node->outputs, [&](const auto& name) { return needed.contains(name); });
    if (!is_needed) continue;
    needed.insert(node->inputs.begin(), node->inputs.end());
    kept.push_back(std::move(*node));
  }
  std::ranges::reverse(kept);
  graph.nodes = std::move(kept);
  std::erase_if(graph.initializers, [&](const OnnxTensor& constant) { return !needed.contains(constant.view.name); });
  std::set<std::string> made;
  for (const OnnxNode& node : graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  std::erase_if(graph.values, [&](const auto& entry) { return !made.contains(entry.first); });
  return graph;
}

}  // namespace base
