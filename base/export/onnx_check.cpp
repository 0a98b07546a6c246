#include "base/export/onnx_check.h"

#include <set>
#include <string_view>

#include "base/log/format.h"

namespace base {
namespace {

std::string wrong_bytes(const TensorView& tensor, const std::string& what) {
  std::uint64_t needed = size_of(tensor.dtype);
  for (const std::int64_t size : tensor.shape) {
    if (size < 0) return format("{} has an axis of size {}", what, size);
    needed *= static_cast<std::uint64_t>(size);
  }
  if (needed == tensor.bytes.size()) return "";
  return format("{} has {} bytes, its shape takes {}", what, tensor.bytes.size(), needed);
}

}  // namespace

std::string problem_of(const OnnxGraph& graph) {
  std::set<std::string_view> made;
  for (const TensorSpec& input : graph.signature.inputs) {
    if (input.name.empty()) return "an input has no name";
    if (!made.insert(input.name).second) return format("the input '{}' is there twice", input.name);
  }
  for (const OnnxTensor& constant : graph.initializers) {
    const std::string& name = constant.view.name;
    if (name.empty()) return "a constant has no name";
    if (!made.insert(name).second) return format("the constant '{}' has the name of another value", name);
    if (std::string wrong = wrong_bytes(constant.view, format("the constant '{}'", name)); !wrong.empty()) return wrong;
  }
  for (const OnnxNode& node : graph.nodes) {
    const std::string at = format("{} '{}'", node.operation, node.name);
    for (const std::string& input : node.inputs) {
      if (!input.empty() && !made.contains(input))
        return format("{} takes '{}', which nothing makes before it", at, input);
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty() && !made.insert(output).second) return format("{} makes '{}' a second time", at, output);
    }
    for (const auto& [name, attribute] : node.attributes) {
      const auto* tensor = std::get_if<OnnxTensor>(&attribute);
      if (tensor == nullptr) continue;
      std::string wrong = wrong_bytes(tensor->view, format("the attribute '{}' of {}", name, at));
      if (!wrong.empty()) return wrong;
    }
  }
  std::set<std::string_view> given;
  for (const TensorSpec& output : graph.signature.outputs) {
    if (!made.contains(output.name)) return format("nothing makes the output '{}'", output.name);
    if (!given.insert(output.name).second) return format("the output '{}' is there twice", output.name);
  }
  return "";
}

}  // namespace base
