#include "base/export/onnx_quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/export/onnx_index.h"
#include "base/export/onnx_simplify.h"
#include "base/export/onnx_tensor.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

bool is_layer(const OnnxNode& node) {
  return node.operation == "Conv" || node.operation == "ConvTranspose" || node.operation == "Gemm" ||
         node.operation == "MatMul";
}

/// Operators that give back some of the numbers they take, and no others.
bool only_moves(const OnnxNode& node) {
  static const std::set<std::string_view> kAll = {"Flatten", "Identity", "MaxPool",   "Reshape",
                                                  "Slice",   "Squeeze",  "Transpose", "Unsqueeze"};
  return kAll.contains(node.operation);
}

/// Which values are rounded, and which inputs of which nodes then take the rounded ones.
class Plan {
 public:
  Plan(const OnnxGraph& graph, const QuantizeOptions& options) : graph_(graph), options_(options), index_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const OnnxNode& node = graph.nodes[i];
      if (is_below(node.name, options.keep)) continue;
      if (is_chosen_layer(node)) {
        layers_.insert(i);
        for (std::size_t input = 0; input < 2; ++input) round(i, input);
        if (options.engine == QuantizedFor::kOnnxRuntime) round_result(node);
      } else if (is_sum(node)) {
        round_sum(i);
      } else if (is_mean(node)) {
        add_result(node.outputs[0]);
      }
    }
  }

  const OnnxIndex& index() const { return index_; }
  /// The values to watch, in the order of the graph.
  std::vector<std::string> points() const {
    std::vector<std::string> points;
    for (const std::string& value : rounded_) {
      if (std::string from = origin(value); std::ranges::find(points, from) == points.end())
        points.push_back(std::move(from));
    }
    return points;
  }
  const std::vector<std::string>& rounded() const { return rounded_; }
  /// The value whose numbers these are. Both get the same scale, so that engines can move them as integers.
  std::string origin(std::string value) const {
    for (const OnnxNode* maker = index_.maker(value);
         maker != nullptr && only_moves(*maker) && maker->outputs[0] == value; maker = index_.maker(value))
      value = maker->inputs[0];
    return value;
  }
  bool is_rounded(const std::string& value) const { return known_.contains(value); }
  bool takes_rounded(std::size_t node, std::size_t input) const { return inputs_.contains({node, input}); }
  bool is_layer_of_plan(std::size_t node) const { return layers_.contains(node); }

 private:
  bool is_chosen_layer(const OnnxNode& node) const {
    if (!is_layer(node) || node.inputs.size() < 2) return false;
    if (!index_.is_float(node.inputs[0]) || !index_.is_float(node.inputs[1])) return false;
    if (index_.constant(node.inputs[0]) != nullptr) return false;
    // A convolution with computed weights is left alone; so is a Gemm that scales, since the scales would be wrong.
    const bool has_weights = index_.constant(node.inputs[1]) != nullptr;
    if (!has_weights && node.operation != "MatMul") return false;
    return attribute_or<double>(node, "alpha", 1.0) == 1.0 && attribute_or<double>(node, "beta", 1.0) == 1.0;
  }

  void add_point(const std::string& value) {
    if (known_.insert(value).second) rounded_.push_back(value);
  }

  void round(std::size_t node, std::size_t input) {
    const std::string& value = graph_.nodes[node].inputs[input];
    if (index_.constant(value) != nullptr) return;  // weights are not rounded by nodes
    inputs_.insert({node, input});
    add_point(value);
  }

  /// The value after the activation that engines compute together with a layer.
  const std::string& after_activation(const std::string& value) const {
    if (!index_.is_used_once(value)) return value;
    const OnnxNode& next = graph_.nodes[index_.takers(value)[0]];
    return next.operation == "Relu" || next.operation == "Clip" ? next.outputs[0] : value;
  }

  void round_result(const OnnxNode& layer) {
    const std::string& value = after_activation(layer.outputs[0]);
    if (layer.operation == "Conv" && !index_.is_output(value)) add_result(value);
  }

  /// Every taker reads the rounded value.
  void add_result(const std::string& value) {
    add_point(value);
    for (const std::size_t taker : index_.takers(value)) {
      const auto& inputs = graph_.nodes[taker].inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i] == value) inputs_.insert({taker, i});
    }
  }

  bool is_from_convolution(const std::string& value) const {
    const OnnxNode* maker = index_.maker(value);
    return maker != nullptr && maker->operation == "Conv" && is_chosen_layer(*maker) &&
           !is_below(maker->name, options_.keep);
  }

  /// A shortcut around convolutions.
  bool is_sum(const OnnxNode& node) const {
    if (node.operation != "Add" || node.inputs.size() != 2) return false;
    for (const std::string& input : node.inputs)
      if (!index_.is_float(input) || index_.constant(input) != nullptr) return false;
    return is_from_convolution(node.inputs[0]) || is_from_convolution(node.inputs[1]);
  }

  /// A mean of rounded values, which ONNX Runtime computes as integers if its result is rounded too.
  bool is_mean(const OnnxNode& node) const {
    if (node.operation != "GlobalAveragePool" && node.operation != "AveragePool") return false;
    return options_.engine == QuantizedFor::kOnnxRuntime && known_.contains(node.inputs[0]) &&
           !index_.is_output(node.outputs[0]);
  }

  void round_sum(std::size_t i) {
    const OnnxNode& node = graph_.nodes[i];
    if (options_.engine == QuantizedFor::kOnnxRuntime) {
      round(i, 0);
      round(i, 1);
      const std::string& result = after_activation(node.outputs[0]);
      if (!index_.is_output(result)) add_result(result);
    } else {
      // The sum becomes part of the convolution that one input comes from; the other is read as I8.
      round(i, is_from_convolution(node.inputs[0]) ? 1 : 0);
    }
  }

  const OnnxGraph& graph_;
  const QuantizeOptions& options_;
  OnnxIndex index_;
  std::set<std::size_t> layers_;
  std::set<std::pair<std::size_t, std::size_t>> inputs_;  // node and input that take the rounded value
  std::set<std::string> known_;
  std::vector<std::string> rounded_;
};

struct Scale {
  float step = 1;
  int zero = 0;
};

constexpr float kLeastStep = 1e-10F;  // of a tensor that is all zeros; its inverse is a float as well

Scale scale_of(Range range, QuantizedFor engine) {
  range.least = std::min(range.least, 0.F);  // zero must be exact: it pads
  range.most = std::max(range.most, 0.F);
  if (engine == QuantizedFor::kTensorRt)
    return {.step = std::max(std::max(-range.least, range.most) / 127.F, kLeastStep)};
  const float step = std::max((range.most - range.least) / 255.F, kLeastStep);
  return {.step = step, .zero = static_cast<int>(std::clamp(std::round(-range.least / step), 0.F, 255.F))};
}

/// The axis of a layer's weights that counts its outputs; none: one scale for all.
std::optional<std::size_t> output_axis(const OnnxNode& layer, const OnnxTensor& weight) {
  const std::size_t rank = weight.view.shape.size();
  if (layer.operation == "Conv") return 0;
  if (layer.operation == "ConvTranspose") return 1;
  if (layer.operation == "Gemm") return attribute_or<std::int64_t>(layer, "transB", 0) != 0 ? 0 : 1;
  return rank == 2 ? std::optional<std::size_t>(1) : std::nullopt;
}

class Quantizer {
 public:
  Quantizer(const OnnxGraph& graph, const Ranges& ranges, const QuantizeOptions& options)
      : graph_(graph), options_(options), plan_(graph, options), names_(graph) {
    std::string missing;
    for (const std::string& value : plan_.rounded()) {
      const std::string point = plan_.origin(value);
      const auto range = ranges.find(point);
      if (range == ranges.end()) {
        if (missing.find(point) == std::string::npos) missing += (missing.empty() ? "" : ", ") + point;
      } else if (!std::isfinite(range->second.least) || !std::isfinite(range->second.most)) {
        throw Error(ErrorKind::kExport, "a range for quantisation is not finite", point,
                    "check the calibration data for NaN and infinities");
      } else {
        scales_[value] = scale_of(range->second, options.engine);
      }
    }
    if (!missing.empty()) {
      throw Error(ErrorKind::kExport, "ranges for quantisation are missing", missing,
                  "calibrate the same graph with the same options");
    }
  }

  OnnxGraph run() {
    result_ = graph_;
    result_.nodes.clear();
    for (const TensorSpec& input : graph_.signature.inputs)
      add_rounding(input.name, OnnxValue{DType::kF32, input.axes});
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      OnnxNode node = graph_.nodes[i];
      if (plan_.is_layer_of_plan(i)) quantize_weights(node);
      for (std::size_t input = 0; input < node.inputs.size(); ++input)
        if (plan_.takes_rounded(i, input)) node.inputs[input] = rounded_.at(node.inputs[input]);
      result_.nodes.push_back(std::move(node));
      for (const std::string& output : graph_.nodes[i].outputs) {
        const auto value = graph_.values.find(output);
        add_rounding(output, value == graph_.values.end() ? std::nullopt : std::optional(value->second));
      }
    }
    return without_unused(std::move(result_));
  }

 private:
  DType activation_type() const { return options_.engine == QuantizedFor::kTensorRt ? DType::kI8 : DType::kU8; }

  std::string add_constant(OnnxTensor constant, const std::string& wanted) {
    constant.view.name = names_.fresh(wanted);
    result_.initializers.push_back(std::move(constant));
    return result_.initializers.back().view.name;
  }

  /// QuantizeLinear and DequantizeLinear after a value, if it is one of the plan.
  void add_rounding(const std::string& value, const std::optional<OnnxValue>& known) {
    if (!plan_.is_rounded(value)) return;
    const Scale scale = scales_.at(value);
    const std::string step = add_constant(make_tensor<float>("", DType::kF32, {}, {scale.step}), value + "_scale");
    const std::string zero = add_constant(
        make_tensor<std::uint8_t>("", activation_type(), {}, {static_cast<std::uint8_t>(scale.zero)}), value + "_zero");
    const std::string integers = names_.fresh(value + "_quantized");
    const std::string rounded = names_.fresh(value + "_rounded");
    result_.nodes.push_back({"QuantizeLinear", {value, step, zero}, {integers}, {}, value + "/QuantizeLinear"});
    result_.nodes.push_back({"DequantizeLinear", {integers, step, zero}, {rounded}, {}, value + "/DequantizeLinear"});
    if (known) {
      result_.values[integers] = {activation_type(), known->axes};
      result_.values[rounded] = {DType::kF32, known->axes};
    }
    rounded_[value] = rounded;
  }

  /// Weights of a layer as I8 and a DequantizeLinear; biases as I32 and one, for the engine that wants it.
  void quantize_weights(OnnxNode& layer) {
    const OnnxTensor* weight = plan_.index().constant(layer.inputs[1]);
    if (weight == nullptr) return;
    const std::optional<std::size_t> axis = output_axis(layer, *weight);
    const Weight& made = quantized_weight(*weight, axis);
    if (layer.inputs.size() > 2 && options_.engine == QuantizedFor::kOnnxRuntime) quantize_bias(layer, made);
    layer.inputs[1] = made.name;
  }

  struct Weight {
    std::string name;  // of the value after DequantizeLinear
    std::vector<float> steps;
  };

  const Weight& quantized_weight(const OnnxTensor& weight, std::optional<std::size_t> axis) {
    const auto [entry, is_new] = weights_.try_emplace({weight.view.name, axis});
    if (!is_new) return entry->second;
    const std::vector<float> numbers = to_floats(weight);
    std::size_t channels = 1;
    std::size_t inner = std::max<std::size_t>(numbers.size(), 1);
    if (axis) {
      channels = static_cast<std::size_t>(weight.view.shape.at(*axis));
      inner = 1;
      for (std::size_t i = *axis + 1; i < weight.view.shape.size(); ++i)
        inner *= static_cast<std::size_t>(weight.view.shape[i]);
    }
    const auto channel = [&](std::size_t i) { return i / inner % channels; };
    const float most = options_.engine == QuantizedFor::kOnnxRuntime ? 63 : 127;
    std::vector<float> steps(channels, kLeastStep);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      steps[channel(i)] = std::max(steps[channel(i)], std::fabs(numbers[i]) / most);
    std::vector<std::int8_t> integers(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const float integer = std::clamp(std::nearbyint(numbers[i] / steps[channel(i)]), -most, most);
      integers[i] = static_cast<std::int8_t>(integer);
    }
    entry->second = {
        add_dequantized(weight, make_tensor("", DType::kI8, weight.view.shape, std::move(integers)), steps, axis),
        steps};
    return entry->second;
  }

  /// The value after a DequantizeLinear of these integers, which replaces `constant`.
  std::string add_dequantized(const OnnxTensor& constant, OnnxTensor integers, const std::vector<float>& steps,
                              std::optional<std::size_t> axis) {
    const std::string& name = constant.view.name;
    std::vector<std::int64_t> shape;
    if (axis) shape.push_back(static_cast<std::int64_t>(steps.size()));
    const DType type = integers.view.dtype;
    const std::string from = add_constant(std::move(integers), name + "_quantized");
    const std::string step = add_constant(make_tensor("", DType::kF32, shape, steps), name + "_scale");
    const std::vector<std::uint8_t> zeros(steps.size() * size_of(type));
    const std::string zero = add_constant(make_tensor("", type, shape, zeros), name + "_zero");
    const std::string made = names_.fresh(name + "_rounded");
    OnnxNode node{"DequantizeLinear", {from, step, zero}, {made}, {}, name + "/DequantizeLinear"};
    if (axis) node.attributes["axis"] = static_cast<std::int64_t>(*axis);
    result_.nodes.push_back(std::move(node));
    return made;
  }

  /// In steps of input times weight, as sums of products of integers come out.
  void quantize_bias(OnnxNode& layer, const Weight& weight) {
    const OnnxTensor* bias = plan_.index().constant(layer.inputs[2]);
    if (bias == nullptr || bias->view.shape.size() != 1 || bias->view.dtype != DType::kF32) return;
    const std::vector<float> numbers = to_floats(*bias);
    if (weight.steps.size() != numbers.size()) return;
    const float input_step = scales_.at(layer.inputs[0]).step;
    std::vector<float> steps(numbers.size());
    std::vector<std::int32_t> integers(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      steps[i] = input_step * weight.steps[i];
      constexpr double kMost = std::numeric_limits<std::int32_t>::max();
      const double integer = std::nearbyint(static_cast<double>(numbers[i]) / steps[i]);
      integers[i] = static_cast<std::int32_t>(std::clamp(integer, -kMost, kMost));
    }
    layer.inputs[2] =
        add_dequantized(*bias, make_tensor("", DType::kI32, bias->view.shape, std::move(integers)), steps, 0);
  }

  const OnnxGraph& graph_;
  const QuantizeOptions& options_;
  Plan plan_;
  OnnxNames names_;
  std::map<std::string, Scale> scales_;
  std::map<std::string, std::string> rounded_;  // the names of values after rounding
  std::map<std::pair<std::string, std::optional<std::size_t>>, Weight> weights_;
  OnnxGraph result_;
};

}  // namespace

std::vector<std::string> calibration_points(const OnnxGraph& graph, const QuantizeOptions& options) {
  return Plan(graph, options).points();
}

OnnxGraph with_outputs(OnnxGraph graph, const std::vector<std::string>& values) {
  const OnnxIndex index(graph);
  for (const std::string& value : values) {
    if (index.is_output(value) || index.maker(value) == nullptr) continue;  // inputs are seen by whoever gives them
    const auto known = graph.values.find(value);
    if (known == graph.values.end())
      throw Error(ErrorKind::kInternal, "the shape of a value that is to be an output is not known", value, "");
    graph.signature.outputs.push_back({.name = value, .dtype = known->second.dtype, .axes = known->second.axes});
  }
  return graph;
}

OnnxGraph quantized(OnnxGraph graph, const Ranges& ranges, const QuantizeOptions& options) {
  return Quantizer(graph, ranges, options).run();
}

}  // namespace base
