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
      if (node.operation == "Gemm") take_untransposed(node);
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

  static bool swaps_two_axes(const OnnxNode* node) {
    return node != nullptr && node->operation == "Transpose" &&
           attribute_or<std::vector<std::int64_t>>(*node, "perm", {}) == std::vector<std::int64_t>{1, 0};
  }

  /// A linear layer is traced with its weight transposed by a node; Gemm can do it by an attribute.
  void take_untransposed(OnnxNode& gemm) const {
    for (std::size_t i = 0; i < 2 && i < gemm.inputs.size(); ++i) {
      const OnnxNode* before = index_.maker(gemm.inputs[i]);
      if (!swaps_two_axes(before)) continue;
      const auto other = names_.find(before->inputs[0]);
      gemm.inputs[i] = other != names_.end() ? other->second : before->inputs[0];
      const std::string attribute = i == 0 ? "transA" : "transB";
      gemm.attributes[attribute] = 1 - attribute_or<std::int64_t>(gemm, attribute, 0);
    }
  }

  /// A weight that others than Gemm take transposed is transposed here, so that it is a constant for them.
  bool is_transposed_weight(const OnnxNode& node) {
    const OnnxTensor* weight = swaps_two_axes(&node) ? find_constant(node.inputs[0]) : nullptr;
    if (weight == nullptr || weight->view.dtype != DType::kF32 || weight->view.shape.size() != 2) return false;
    const bool others = std::ranges::any_of(index_.takers(node.outputs[0]),
                                            [&](std::size_t taker) { return graph_.nodes[taker].operation != "Gemm"; });
    if (!others) return false;  // nobody will take it
    const auto rows = static_cast<std::size_t>(weight->view.shape[0]);
    const auto columns = static_cast<std::size_t>(weight->view.shape[1]);
    const std::vector<float> numbers = to_floats(*weight);
    std::vector<float> turned(numbers.size());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) turned[j * rows + i] = numbers[i * columns + j];
    add_constant(node.outputs[0],
                 make_tensor("", DType::kF32, {weight->view.shape[1], weight->view.shape[0]}, std::move(turned)));
    return true;
  }

  bool is_gone(const OnnxNode& node) {
    const std::string& output = node.outputs[0];
    if (is_transposed_weight(node)) return true;
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
