#include "base/export/onnx_index.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/export/onnx_file.h"

namespace base {
namespace {

std::optional<DType> dtype_of_number(std::int64_t number) {
  for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
    if (onnx_type(static_cast<DType>(i)) == number) return static_cast<DType>(i);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 5> kMakesIntegers = {"Shape", "Size", "ArgMax", "ArgMin", "NonZero"};
constexpr std::array<std::string_view, 11> kMakesTruth = {
    "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor", "Not", "IsNaN", "IsInf"};

}  // namespace

OnnxIndex::OnnxIndex(const OnnxGraph& graph) {
  for (const OnnxTensor& constant : graph.initializers) constants_[constant.view.name] = &constant;
  for (const TensorSpec& output : graph.signature.outputs) outputs_.insert(output.name);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& input : graph.nodes[i].inputs)
      if (!input.empty()) takers_[input].push_back(i);
    for (const std::string& output : graph.nodes[i].outputs)
      if (!output.empty()) makers_[output] = &graph.nodes[i];
  }
  add_types(graph);
}

const OnnxNode* OnnxIndex::maker(const std::string& value) const {
  const auto found = makers_.find(value);
  return found == makers_.end() ? nullptr : found->second;
}

const OnnxTensor* OnnxIndex::constant(const std::string& value) const {
  const auto found = constants_.find(value);
  return found == constants_.end() ? nullptr : found->second;
}

const std::vector<std::size_t>& OnnxIndex::takers(const std::string& value) const {
  static const std::vector<std::size_t> kNone;
  const auto found = takers_.find(value);
  return found == takers_.end() ? kNone : found->second;
}

std::optional<DType> OnnxIndex::dtype(const std::string& value) const {
  const auto found = types_.find(value);
  return found == types_.end() ? std::nullopt : std::optional(found->second);
}

void OnnxIndex::add_types(const OnnxGraph& graph) {
  for (const TensorSpec& input : graph.signature.inputs) types_[input.name] = input.dtype;
  for (const TensorSpec& output : graph.signature.outputs) types_[output.name] = output.dtype;
  for (const OnnxTensor& constant : graph.initializers) types_[constant.view.name] = constant.view.dtype;
  for (const auto& [name, value] : graph.values) types_.try_emplace(name, value.dtype);
  const auto type_of_input = [&](const OnnxNode& node, std::size_t i) {
    const auto known = i < node.inputs.size() ? dtype(node.inputs[i]) : std::nullopt;
    return known.value_or(DType::kF32);
  };
  for (const OnnxNode& node : graph.nodes) {
    const std::string& operation = node.operation;
    DType type = type_of_input(node, 0);
    if (std::ranges::find(kMakesIntegers, operation) != kMakesIntegers.end()) {
      type = DType::kI64;
    } else if (std::ranges::find(kMakesTruth, operation) != kMakesTruth.end()) {
      type = DType::kBool;
    } else if (operation == "Cast") {
      type = dtype_of_number(attribute_or<std::int64_t>(node, "to", 1)).value_or(type);
    } else if (operation == "Constant" || operation == "ConstantOfShape") {
      const auto value = node.attributes.find("value");
      const auto* tensor = value == node.attributes.end() ? nullptr : std::get_if<OnnxTensor>(&value->second);
      type = tensor != nullptr                                                                 ? tensor->view.dtype
             : node.attributes.contains("value_ints") || node.attributes.contains("value_int") ? DType::kI64
                                                                                               : DType::kF32;
    } else if (operation == "QuantizeLinear") {
      type = node.inputs.size() > 2 ? type_of_input(node, 2) : DType::kU8;
    } else if (operation == "DequantizeLinear" || operation == "Where") {
      type = type_of_input(node, 1);
    } else if (operation == "OneHot") {
      type = type_of_input(node, 2);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const bool indices = i == 1 && (operation == "TopK" || operation == "MaxPool");
      if (!node.outputs[i].empty()) types_.try_emplace(node.outputs[i], indices ? DType::kI64 : type);
    }
  }
}

OnnxNames::OnnxNames(const OnnxGraph& graph) {
  for (const TensorSpec& input : graph.signature.inputs) used_.insert(input.name);
  for (const TensorSpec& output : graph.signature.outputs) used_.insert(output.name);
  for (const OnnxTensor& constant : graph.initializers) used_.insert(constant.view.name);
  for (const OnnxNode& node : graph.nodes) used_.insert(node.outputs.begin(), node.outputs.end());
}

std::string OnnxNames::fresh(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !used_.insert(name).second; ++i) name = wanted + '_' + std::to_string(i);
  return name;
}

bool is_below(const std::string& name, const std::vector<std::string>& layers) {
  return std::ranges::any_of(layers, [&](const std::string& layer) {
    return name == layer || (name.starts_with(layer) && name[layer.size()] == '/');
  });
}

}  // namespace base
