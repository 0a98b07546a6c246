#include "base/export/onnx_half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "base/export/onnx_file.h"
#include "base/export/onnx_index.h"
#include "base/export/onnx_simplify.h"
#include "base/export/onnx_tensor.h"
#include "base/log/error.h"
#include "base/log/log.h"
#include "base/records/half.h"

namespace base {
namespace {

using Operations = std::set<std::string_view>;

/// Half precision loses too much in them, or they overflow.
const Operations& inexact_operations() {
  static const Operations kAll = {"CumSum",
                                  "Exp",
                                  "GroupNormalization",
                                  "InstanceNormalization",
                                  "LayerNormalization",
                                  "Log",
                                  "LogSoftmax",
                                  "LpNormalization",
                                  "MeanVarianceNormalization",
                                  "Mod",
                                  "Pow",
                                  "Reciprocal",
                                  "ReduceL1",
                                  "ReduceL2",
                                  "ReduceLogSum",
                                  "ReduceLogSumExp",
                                  "ReduceMean",
                                  "ReduceProd",
                                  "ReduceSum",
                                  "ReduceSumSquare",
                                  "Softmax",
                                  "Softplus",
                                  "Sqrt"};
  return kAll;
}

/// Engines or the standard have them in F32 only, or their type is an attribute.
const Operations& wide_operations() {
  static const Operations kAll = {"Bernoulli",
                                  "Celu",
                                  "Constant",
                                  "EyeLike",
                                  "IsInf",
                                  "Multinomial",
                                  "NonMaxSuppression",
                                  "RandomNormal",
                                  "RandomNormalLike",
                                  "RandomUniform",
                                  "RandomUniformLike",
                                  "ScatterElements",
                                  "Range",
                                  "RoiAlign",
                                  "TopK",
                                  "Upsample",
                                  "GridSample",
                                  "STFT",
                                  "DFT"};
  return kAll;
}

/// Cheap ones that may be in either type: between two islands they stay in F32, which saves two casts.
const Operations& following_operations() {
  static const Operations kAll = {"Abs",      "Add",       "Clip",        "Concat",    "Div",     "Equal",
                                  "Expand",   "Flatten",   "Floor",       "Gather",    "Greater", "GreaterOrEqual",
                                  "Identity", "Less",      "LessOrEqual", "Max",       "Min",     "Mul",
                                  "Neg",      "Pad",       "ReduceMax",   "ReduceMin", "Relu",    "Reshape",
                                  "Round",    "Sign",      "Slice",       "Split",     "Squeeze", "Sub",
                                  "Tile",     "Transpose", "Unsqueeze",   "Where"};
  return kAll;
}

/// They read a value of any type as it is.
bool takes_any_type(const OnnxNode& node) {
  return node.operation == "Cast" || node.operation == "Shape" || node.operation == "Size";
}

/// Inputs that are F32 by the standard, whatever the others are.
bool is_wide_input(const OnnxNode& node, std::size_t i) {
  return node.operation == "Resize" && (i == 1 || i == 2);
}

bool is_quantization(const OnnxNode& node) {
  return node.operation == "QuantizeLinear" || node.operation == "DequantizeLinear";
}

/// What half precision would do to a constant, in words; empty if it holds it.
std::string harm_to(const OnnxTensor& constant) {
  float largest = 0;
  for (const float number : to_floats(constant))
    if (std::isfinite(number)) largest = std::max(largest, std::fabs(number));
  if (largest > kLargestHalf) return format("has numbers up to {}", largest);
  if (largest > 0 && largest < kSmallestNormalHalf) return format("has no number above {}", largest);
  return "";
}

/// The nearest halves, but nothing turns into 0: somebody may divide by it.
OnnxTensor half_constant(const OnnxTensor& constant) {
  std::vector<std::uint16_t> numbers;
  numbers.reserve(count_of(constant));
  for (const float number : to_floats(constant)) {
    const bool vanishes = number != 0 && std::fabs(number) < kSmallestHalf;
    numbers.push_back(half_of(vanishes ? std::copysign(kSmallestHalf, number) : number));
  }
  return make_tensor(constant.view.name, DType::kF16, constant.view.shape, std::move(numbers));
}

class Halver {
 public:
  Halver(OnnxGraph graph, const HalfOptions& options)
      : graph_(std::move(graph)), options_(options), index_(graph_), names_(graph_) {}

  OnnxGraph run() {
    choose();
    result_.name = graph_.name;
    result_.opset = graph_.opset;
    result_.metadata = graph_.metadata;
    result_.signature = graph_.signature;
    if (options_.half_inputs_and_outputs) {
      for (auto* specs : {&result_.signature.inputs, &result_.signature.outputs})
        for (TensorSpec& spec : *specs)
          if (spec.dtype == DType::kF32) spec.dtype = DType::kF16;
    }
    for (const OnnxTensor& constant : graph_.initializers) result_.initializers.push_back(constant);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) add(graph_.nodes[i], is_half_[i]);
    return simplified(std::move(result_));
  }

 private:
  // ---- which nodes compute in half
  // -----------------------------------------------------------------------------------

  /// Islands, then what follows its neighbours: it stays in F32 if all floats come from there and go there.
  void choose() {
    const std::size_t count = graph_.nodes.size();
    is_half_.assign(count, false);
    std::vector<bool> follows(count, false);
    for (std::size_t i = 0; i < count; ++i) {
      const OnnxNode& node = graph_.nodes[i];
      follows[i] = following_operations().contains(node.operation) && has_float_input(node);
      is_half_[i] = !is_island(node);
      if (!is_half_[i]) follows[i] = false;
    }
    // From the end, whether all that follow want F32; then from the start, whether all before give it.
    std::vector<bool> wants_wide(count, false);
    for (std::size_t i = count; i-- > 0;) wants_wide[i] = follows[i] && is_taken_wide(graph_.nodes[i], wants_wide);
    for (std::size_t i = 0; i < count; ++i) {
      if (wants_wide[i] && comes_wide(graph_.nodes[i])) is_half_[i] = false;
      for (const std::string& output : graph_.nodes[i].outputs) makes_half_[output] = is_half_[i];
    }
  }

  bool is_island(const OnnxNode& node) {
    if (is_quantization(node)) {
      if (graph_.opset >= 19) return false;
      throw Error(ErrorKind::kExport, "a quantised model of this opset cannot be in half precision",
                  std::to_string(graph_.opset), "export it with opset 19 or later");
    }
    if (inexact_operations().contains(node.operation) || wide_operations().contains(node.operation)) return true;
    if (std::ranges::find(options_.keep_operations, node.operation) != options_.keep_operations.end()) return true;
    if (is_below(node.name, options_.keep)) return true;
    if (node.operation == "Cast") return true;  // from an integer: exact in F32; simplified() makes one of two casts
    for (const std::string& input : node.inputs) {
      const OnnxTensor* constant = index_.constant(input);
      if (constant == nullptr || constant->view.dtype != DType::kF32) continue;
      const auto [harm, is_new] = harms_.try_emplace(input);
      if (is_new) harm->second = harm_to(*constant);
      if (harm->second.empty()) continue;
      if (is_new) log::warn("{} stays in single precision: {} {}", name_of_node(node), input, harm->second);
      return true;
    }
    return false;
  }

  static std::string name_of_node(const OnnxNode& node) { return node.name.empty() ? node.operation : node.name; }

  bool has_float_input(const OnnxNode& node) const {
    return std::ranges::any_of(node.inputs, [&](const std::string& input) {
      return index_.is_float(input) && index_.constant(input) == nullptr;
    });
  }

  bool is_taken_wide(const OnnxNode& node, const std::vector<bool>& wants_wide) const {
    for (const std::string& output : node.outputs) {
      if (!index_.is_float(output)) continue;
      if (index_.is_output(output) && options_.half_inputs_and_outputs) return false;
      for (const std::size_t taker : index_.takers(output)) {
        if (takes_any_type(graph_.nodes[taker])) continue;
        if (is_half_[taker] && !wants_wide[taker]) return false;
      }
    }
    return true;
  }

  bool comes_wide(const OnnxNode& node) const {
    return std::ranges::all_of(node.inputs, [&](const std::string& input) {
      return !index_.is_float(input) || index_.constant(input) != nullptr || home(input) == DType::kF32;
    });
  }

  /// The type that a value has where it is made.
  DType home(const std::string& value) const {
    if (index_.constant(value) != nullptr) return DType::kF32;
    const auto made = makes_half_.find(value);
    const bool half = made == makes_half_.end() ? options_.half_inputs_and_outputs : made->second;
    return half ? DType::kF16 : DType::kF32;
  }

  // ---- the new graph
  // -------------------------------------------------------------------------------------------------

  void add(OnnxNode node, bool half) {
    const DType type = half ? DType::kF16 : DType::kF32;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      std::string& input = node.inputs[i];
      if (input.empty() || !index_.is_float(input)) continue;
      input = value_in(input, takes_any_type(node) ? home(input) : is_wide_input(node, i) ? DType::kF32 : type);
    }
    if (half) adapt_attributes(node);
    std::vector<OnnxNode> casts;  // of outputs of the model, after the node
    for (std::string& output : node.outputs) {
      if (output.empty()) continue;
      if (!index_.is_float(output)) {
        if (const auto value = graph_.values.find(output); value != graph_.values.end()) result_.values.insert(*value);
        continue;
      }
      const std::string original = output;
      const DType border = options_.half_inputs_and_outputs ? DType::kF16 : DType::kF32;
      if (index_.is_output(original) && border != type) {
        output = names_.fresh(original + suffix(type));
        casts.push_back(cast(output, original, border));
        versions_[{original, border}] = original;
      }
      versions_[{original, type}] = output;
      note_type(output, original, type);
    }
    result_.nodes.push_back(std::move(node));
    for (OnnxNode& one : casts) result_.nodes.push_back(std::move(one));
  }

  static std::string suffix(DType type) { return type == DType::kF16 ? "_f16" : "_f32"; }

  static OnnxNode cast(const std::string& from, const std::string& to, DType type) {
    return {.operation = "Cast",
            .inputs = {from},
            .outputs = {to},
            .attributes = {{"to", onnx_type(type)}},
            .name = to + "/Cast"};
  }

  void note_type(const std::string& name, const std::string& original, DType type) {
    const auto value = graph_.values.find(original);
    if (value != graph_.values.end()) result_.values[name] = {type, value->second.axes};
  }

  /// The name of a value in a type, which is made now if it is not there.
  const std::string& value_in(const std::string& value, DType type) {
    if (const auto made = versions_.find({value, type}); made != versions_.end()) return made->second;
    std::string& name = versions_[{value, type}];
    if (type == home(value)) return name = value;
    name = names_.fresh(value + suffix(type));
    if (const OnnxTensor* constant = index_.constant(value)) {
      OnnxTensor half = half_constant(*constant);
      half.view.name = name;
      result_.initializers.push_back(std::move(half));
    } else {
      result_.nodes.push_back(cast(value_in(value, home(value)), name, type));
      note_type(name, value, type);
      for (const TensorSpec& input : graph_.signature.inputs)
        if (input.name == value) result_.values[name] = {type, input.axes};
    }
    return name;
  }

  static void adapt_attributes(OnnxNode& node) {
    for (auto& [name, attribute] : node.attributes) {
      auto* tensor = std::get_if<OnnxTensor>(&attribute);
      if (tensor != nullptr && tensor->view.dtype == DType::kF32) attribute = half_constant(*tensor);
    }
    if (node.operation == "ConstantOfShape" && !node.attributes.contains("value"))
      node.attributes["value"] = make_tensor<std::uint16_t>("", DType::kF16, {1}, {0});
  }

  OnnxGraph graph_;
  const HalfOptions& options_;
  OnnxIndex index_;
  OnnxNames names_;
  std::map<std::string, std::string> harms_;  // what was found out about constants
  std::vector<bool> is_half_;                 // by node
  std::map<std::string, bool> makes_half_;    // by value
  std::map<std::pair<std::string, DType>, std::string> versions_;
  OnnxGraph result_;
};

/// Constants that are left in one version have their own names again.
OnnxGraph with_old_names(OnnxGraph graph, const std::vector<OnnxTensor>& originals) {
  std::set<std::string> taken;
  for (const OnnxTensor& constant : graph.initializers) taken.insert(constant.view.name);
  std::map<std::string, std::string> old_names;
  for (const OnnxTensor& original : originals) {
    const std::string& name = original.view.name;
    if (!taken.contains(name) && taken.contains(name + "_f16")) old_names[name + "_f16"] = name;
  }
  const auto rename = [&](std::string& name) {
    if (const auto found = old_names.find(name); found != old_names.end()) name = found->second;
  };
  for (OnnxTensor& constant : graph.initializers) rename(constant.view.name);
  for (OnnxNode& node : graph.nodes) std::ranges::for_each(node.inputs, rename);
  return graph;
}

}  // namespace

OnnxGraph to_half(OnnxGraph graph, const HalfOptions& options) {
  graph = simplified(std::move(graph));
  const std::vector<OnnxTensor> originals = graph.initializers;
  return with_old_names(Halver(std::move(graph), options).run(), originals);
}

}  // namespace base
