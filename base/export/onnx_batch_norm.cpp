#include <cmath>
#include <map>
#include <set>

#include "base/export/onnx_index.h"
#include "base/export/onnx_simplify.h"
#include "base/export/onnx_tensor.h"

namespace base {
namespace {

/// y = scale * x + shift, by channel: what a batch normalisation does when it no longer learns.
struct ChannelLine {
  std::vector<float> scale;
  std::vector<float> shift;
};

bool folds(const OnnxNode& norm, const OnnxGraph& graph, const OnnxIndex& index) {
  if (norm.operation != "BatchNormalization" || norm.inputs.size() != 5) return false;
  if (norm.outputs.size() != 1 || attribute_or<std::int64_t>(norm, "training_mode", 0) != 0) return false;
  const OnnxNode* before = index.maker(norm.inputs[0]);
  if (before == nullptr || before->operation != "Conv" || !index.is_used_once(norm.inputs[0])) return false;
  for (std::size_t i = 1; i < before->inputs.size(); ++i)
    if (!before->inputs[i].empty() && index.constant(before->inputs[i]) == nullptr) return false;
  for (std::size_t i = 1; i < norm.inputs.size(); ++i)
    if (index.constant(norm.inputs[i]) == nullptr) return false;
  return index.is_float(before->inputs[1]) && graph.opset >= 9;
}

ChannelLine line_of(const OnnxNode& norm, const OnnxIndex& index) {
  const auto numbers = [&](std::size_t i) { return to_floats(*index.constant(norm.inputs[i])); };
  const std::vector<float> weight = numbers(1);
  const std::vector<float> bias = numbers(2);
  const std::vector<float> mean = numbers(3);
  const std::vector<float> variance = numbers(4);
  const double epsilon = attribute_or<double>(norm, "epsilon", 1e-5);
  ChannelLine line;
  for (std::size_t c = 0; c < weight.size(); ++c) {
    const double scale = weight[c] / std::sqrt(static_cast<double>(variance[c]) + epsilon);
    line.scale.push_back(static_cast<float>(scale));
    line.shift.push_back(static_cast<float>(bias[c] - mean[c] * scale));
  }
  return line;
}

}  // namespace

OnnxGraph with_folded_batch_norms(OnnxGraph graph) {
  const OnnxIndex index(graph);
  OnnxNames names(graph);
  std::vector<OnnxTensor> added;
  std::map<std::string, OnnxNode> changed;  // convolutions, by the value that they made
  std::set<std::string> gone;               // what norms made
  for (const OnnxNode& norm : graph.nodes) {
    if (!folds(norm, graph, index)) continue;
    const ChannelLine line = line_of(norm, index);
    OnnxNode conv = *index.maker(norm.inputs[0]);
    const OnnxTensor& weight = *index.constant(conv.inputs[1]);
    std::vector<float> numbers = to_floats(weight);
    const std::size_t channels = line.scale.size();
    const std::size_t each = numbers.size() / channels;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= line.scale[i / each];
    const bool has_bias = conv.inputs.size() > 2 && !conv.inputs[2].empty();
    std::vector<float> bias = has_bias ? to_floats(*index.constant(conv.inputs[2])) : std::vector<float>(channels);
    for (std::size_t c = 0; c < channels; ++c) bias[c] = bias[c] * line.scale[c] + line.shift[c];

    const std::string weight_name = names.fresh(conv.inputs[1] + "_folded");
    const std::string bias_name = names.fresh(has_bias ? conv.inputs[2] + "_folded" : norm.inputs[2] + "_folded");
    added.push_back(make_tensor(weight_name, DType::kF32, weight.view.shape, std::move(numbers)));
    added.push_back(make_tensor(bias_name, DType::kF32, {static_cast<std::int64_t>(channels)}, std::move(bias)));
    conv.inputs = {conv.inputs[0], weight_name, bias_name};
    conv.outputs = norm.outputs;
    changed[norm.inputs[0]] = std::move(conv);
    gone.insert(norm.outputs[0]);
  }
  std::vector<OnnxNode> kept;
  for (OnnxNode& node : graph.nodes) {
    if (node.outputs.size() == 1 && gone.contains(node.outputs[0])) continue;
    const auto other = node.outputs.empty() ? changed.end() : changed.find(node.outputs[0]);
    kept.push_back(other == changed.end() ? std::move(node) : std::move(other->second));
  }
  graph.nodes = std::move(kept);
  for (OnnxTensor& constant : added) graph.initializers.push_back(std::move(constant));
  return without_unused(std::move(graph));
}

}  // namespace base
