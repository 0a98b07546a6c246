#include "base/torch.h"

#include <limits>

#include "base/export/onnx_call.h"

namespace base {
namespace {

using Integers = std::vector<std::int64_t>;

/// The argument, or as many of this number.
std::string weight_or(OnnxCall& call, const char* name, Integers shape, double otherwise) {
  if (call.has(name)) return call.tensor(name);
  return call.build.constant(torch::full(shape, otherwise, to_torch(call.dtype())));
}

/// [channels] in a shape that goes with a tensor of this rank: [channels, 1, 1].
std::string along_channels(OnnxCall& call, const std::string& weight, std::int64_t rank) {
  Integers added;
  for (std::int64_t i = 1; i + 1 < rank; ++i) added.push_back(i);
  return call.build.unsqueeze(weight, added);
}

std::string scaled_and_shifted(OnnxCall& call, std::string y, std::int64_t rank) {
  if (call.has("weight")) y = call.op("Mul", {y, along_channels(call, call.tensor("weight"), rank)});
  if (call.has("bias")) y = call.op("Add", {y, along_channels(call, call.tensor("bias"), rank)});
  return y;
}

/// (x - mean) / sqrt(variance + eps) over these axes of the tensor itself.
std::string standardised(OnnxCall& call, const std::string& x, const Integers& axes, double eps) {
  const std::string centred = call.op("Sub", {x, call.op("ReduceMean", {x}, {{"axes", axes}})});
  const std::string variance = call.op("ReduceMean", {call.op("Mul", {centred, centred})}, {{"axes", axes}});
  return call.op("Div", {centred, call.op("Sqrt", {call.op("Add", {variance, call.constant(eps, call.dtype())})})});
}

void lower_batch_norm(OnnxCall& call) {
  const Operand& x = call["input"];
  const double eps = call.real("eps", 1e-5);
  const bool own_statistics = call.truth("training") || call.truth("use_input_stats") || !call.has("running_mean");
  if (own_statistics) {
    Integers axes;
    for (std::int64_t i = 0; i < x.rank(); ++i)
      if (i != 1) axes.push_back(i);
    return call.give(scaled_and_shifted(call, standardised(call, x.name, axes, eps), x.rank()));
  }
  const std::int64_t channels = x.axes.at(1).size;
  call.give(call.op("BatchNormalization",
                    {x.name, weight_or(call, "weight", {channels}, 1), weight_or(call, "bias", {channels}, 0),
                     call.tensor("running_mean"), call.tensor("running_var")},
                    {{"epsilon", eps}}));
}

void lower_instance_norm(OnnxCall& call) {
  if (!call.truth("use_input_stats")) return lower_batch_norm(call);
  const Operand& x = call["input"];
  const std::int64_t channels = x.axes.at(1).size;
  call.give(call.op("InstanceNormalization",
                    {x.name, weight_or(call, "weight", {channels}, 1), weight_or(call, "bias", {channels}, 0)},
                    {{"epsilon", call.real("eps", 1e-5)}}));
}

void lower_group_norm(OnnxCall& call) {
  const Operand& x = call["input"];
  const std::int64_t groups = call.integer("num_groups");
  const DType type = call.dtype();
  const std::string grouped = call.op("Reshape", {x.name, call.build.integers({0, groups, -1})});
  const std::string normed = call.op("InstanceNormalization",
                                     {grouped, call.build.constant(torch::ones({groups}, to_torch(type))),
                                      call.build.constant(torch::zeros({groups}, to_torch(type)))},
                                     {{"epsilon", call.real("eps", 1e-5)}});
  std::string y;
  const bool fixed = std::none_of(x.axes.begin() + 1, x.axes.end(), [](const Axis& axis) { return axis.is_dynamic(); });
  if (fixed) {
    Integers sizes = {0};
    for (std::size_t i = 1; i < x.axes.size(); ++i) sizes.push_back(x.axes[i].size);
    y = call.op("Reshape", {normed, call.build.integers(sizes)});
  } else {
    y = call.op("Reshape", {normed, call.op("Shape", {x.name})});
  }
  call.give(scaled_and_shifted(call, y, x.rank()));
}

void lower_layer_norm(OnnxCall& call) {
  const Integers shape = call.integers("normalized_shape");
  std::vector<std::string> inputs = {call.tensor("input"), weight_or(call, "weight", shape, 1)};
  if (call.has("bias")) inputs.push_back(call.tensor("bias"));
  call.give(call.op("LayerNormalization", inputs,
                    {{"axis", -static_cast<std::int64_t>(shape.size())}, {"epsilon", call.real("eps", 1e-5)}}));
}

void lower_rms_norm(OnnxCall& call) {
  const std::string& x = call.tensor("input");
  Integers axes;
  for (std::size_t i = 0; i < call.integers("normalized_shape").size(); ++i)
    axes.push_back(-1 - static_cast<std::int64_t>(i));
  const double eps = call.real("eps", std::numeric_limits<float>::epsilon());
  const std::string square = call.op("ReduceMean", {call.op("Mul", {x, x})}, {{"axes", axes}});
  const std::string root = call.op("Sqrt", {call.op("Add", {square, call.constant(eps, call.dtype())})});
  const std::string y = call.op("Div", {x, root});
  call.give(call.has("weight") ? call.op("Mul", {y, call.tensor("weight")}) : y);
}

void lower_cosine_similarity(OnnxCall& call) {
  const Integers axes = {call.axis("dim", std::max(call["x1"].rank(), call["x2"].rank()), 1)};
  const std::string list = call.build.integers(axes);
  const auto length = [&](const char* x) {
    const std::string norm = call.op("ReduceL2", {call.tensor(x)}, {{"axes", axes}, {"keepdims", std::int64_t{0}}});
    return call.op("Max", {norm, call.constant(call.real("eps", 1e-8), call.dtype())});
  };
  const std::string product = call.op("ReduceSum", {call.op("Mul", {call.tensor("x1"), call.tensor("x2")}), list},
                                      {{"keepdims", std::int64_t{0}}});
  call.give(call.op("Div", {product, call.op("Mul", {length("x1"), length("x2")})}));
}

}  // namespace

void add_norms(OnnxTable& table) {
  table["batch_norm"] = lower_batch_norm;
  table["instance_norm"] = lower_instance_norm;
  table["group_norm"] = lower_group_norm;
  table["layer_norm"] = lower_layer_norm;
  table["rms_norm"] = lower_rms_norm;
  table["cosine_similarity"] = lower_cosine_similarity;
}

}  // namespace base
