#include "base/torch.h"

#include <cmath>
#include <numbers>

#include "base/export/onnx_call.h"

namespace base {
namespace {

std::string multiplied(OnnxCall& call, const std::string& x, double factor) {
  return factor == 1 ? x : call.op("Mul", {x, call.constant(factor, call.dtype())});
}

void lower_relu(OnnxCall& call) {
  const std::string& x = call.tensor("self");
  call.give(is_floating(call.dtype()) ? call.op("Relu", {x})
                                      : call.op("Max", {x, call.build.scalar(std::int64_t{0}, call.dtype())}));
}

void lower_elu(OnnxCall& call) {
  const double scale = call.real("scale", 1);
  if (call.real("input_scale", 1) != 1) call.refuse("an input scale has no operator in ONNX");
  call.give(multiplied(call, call.op("Elu", {call.tensor("self")}, {{"alpha", call.real("alpha", 1)}}), scale));
}

void lower_gelu(OnnxCall& call) {
  const std::string& x = call.tensor("self");
  const DType type = call.dtype();
  std::string inner;
  if (call["approximate"].text == "tanh") {
    const std::string cube = call.op("Mul", {call.op("Mul", {x, x}), x});
    const std::string sum = call.op("Add", {x, multiplied(call, cube, 0.044715)});
    inner = call.op("Tanh", {multiplied(call, sum, std::sqrt(2 / std::numbers::pi))});
  } else {
    inner = call.op("Erf", {call.op("Div", {x, call.constant(std::numbers::sqrt2, type)})});
  }
  call.give(multiplied(call, call.op("Mul", {x, call.op("Add", {inner, call.constant(1, type)})}), 0.5));
}

void lower_softplus(OnnxCall& call) {
  const double beta = call.real("beta", 1);
  const double threshold = call.real("threshold", 20);
  const std::string scaled = multiplied(call, call.tensor("self"), beta);
  std::string bent = call.op("Softplus", {scaled});
  if (beta != 1) bent = call.op("Div", {bent, call.constant(beta, call.dtype())});
  if (threshold < 20) {  // from there on the two are the same number
    const std::string above = call.op("Greater", {scaled, call.constant(threshold, call.dtype())});
    bent = call.op("Where", {above, call.tensor("self"), bent});
  }
  call.give(bent);
}

void lower_prelu(OnnxCall& call) {
  const Operand& x = call["self"];
  std::string slope = call.tensor("weight");
  if (call["weight"].axes.size() == 1 && call["weight"].axes[0].size > 1 && x.rank() > 2) {
    std::vector<std::int64_t> after;
    for (std::int64_t i = 1; i + 1 < x.rank(); ++i) after.push_back(i);
    slope = call.build.unsqueeze(slope, after);
  }
  call.give(call.op("PRelu", {x.name, slope}));
}

void lower_glu(OnnxCall& call) {
  const Operand& x = call["self"];
  const std::int64_t axis = call.axis("dim", x.rank(), -1);
  const Operand whole = call.build.dimension(x.axes.at(static_cast<std::size_t>(axis)));
  const std::int64_t size = whole.integer / 2;
  const Operand half = whole.is_computed() ? call.build.computed("Div", whole, number(2), size) : number(size);
  const auto parts = call.build.emit_many("Split", {x.name, call.build.list({half, half})}, {{"axis", axis}}, 2);
  call.give(call.op("Mul", {parts[0], call.op("Sigmoid", {parts[1]})}));
}

void lower_threshold(OnnxCall& call) {
  const std::string& x = call.tensor("self");
  const std::string above = call.op("Greater", {x, call.build.as(call["threshold"], call.dtype())});
  call.give(call.op("Where", {above, x, call.build.as(call["value"], call.dtype())}));
}

void lower_softmax(OnnxCall& call, const std::string& operation) {
  const std::string x = call.build.as(call["self"], call.dtype());
  const std::int64_t rank = call["self"].rank();
  if (rank == 0) call.refuse("a tensor without axes has no softmax in ONNX");
  call.give(call.op(operation, {x}, {{"axis", call.axis("dim", rank)}}));
}

void lower_dropout(OnnxCall& call) {
  if (call.truth("train") || call.truth("training")) call.refuse("it draws random numbers: is the layer in eval mode?");
  call.give(call.has("input") ? call.tensor("input") : call.tensor("self"));
}

void lower_clip(OnnxCall& call, double low, double high) {
  call.give(
      call.op("Clip", {call.tensor("self"), call.constant(low, call.dtype()), call.constant(high, call.dtype())}));
}

}  // namespace

void add_activations(OnnxTable& table) {
  table["relu"] = lower_relu;
  table["relu6"] = [](OnnxCall& call) { lower_clip(call, 0, 6); };
  table["hardtanh"] = [](OnnxCall& call) { lower_clip(call, call.real("min_val", -1), call.real("max_val", 1)); };
  table["leaky_relu"] = [](OnnxCall& call) {
    call.give(call.op("LeakyRelu", {call.tensor("self")}, {{"alpha", call.real("negative_slope", 0.01)}}));
  };
  table["rrelu"] = [](OnnxCall& call) {
    if (call.truth("training")) call.refuse("it draws random numbers: is the layer in eval mode?");
    const double slope = (call.real("lower", 1.0 / 8) + call.real("upper", 1.0 / 3)) / 2;
    call.give(call.op("LeakyRelu", {call.tensor("self")}, {{"alpha", slope}}));
  };
  table["elu"] = lower_elu;
  table["selu"] = [](OnnxCall& call) { call.give(call.op("Selu", {call.tensor("self")})); };
  table["celu"] = [](OnnxCall& call) {
    call.give(call.op("Celu", {call.tensor("self")}, {{"alpha", call.real("alpha", 1)}}));
  };
  table["gelu"] = lower_gelu;
  table["silu"] = [](OnnxCall& call) {
    call.give(call.op("Mul", {call.tensor("self"), call.op("Sigmoid", {call.tensor("self")})}));
  };
  table["mish"] = [](OnnxCall& call) {
    const std::string& x = call.tensor("self");
    call.give(call.op("Mul", {x, call.op("Tanh", {call.op("Softplus", {x})})}));
  };
  table["hardswish"] = [](OnnxCall& call) { call.give(call.op("HardSwish", {call.tensor("self")})); };
  table["hardsigmoid"] = [](OnnxCall& call) {
    call.give(call.op("HardSigmoid", {call.tensor("self")}, {{"alpha", 1.0 / 6}, {"beta", 0.5}}));
  };
  table["sigmoid"] = [](OnnxCall& call) { call.give(call.op("Sigmoid", {call.build.as(call["self"], call.dtype())})); };
  table["tanh"] = [](OnnxCall& call) { call.give(call.op("Tanh", {call.build.as(call["self"], call.dtype())})); };
  table["softplus"] = lower_softplus;
  table["softsign"] = [](OnnxCall& call) { call.give(call.op("Softsign", {call.tensor("self")})); };
  table["softshrink"] = [](OnnxCall& call) {
    const double limit = call.real("lambd", 0.5);
    call.give(call.op("Shrink", {call.tensor("self")}, {{"lambd", limit}, {"bias", limit}}));
  };
  table["hardshrink"] = [](OnnxCall& call) {
    call.give(call.op("Shrink", {call.tensor("self")}, {{"lambd", call.real("lambd", 0.5)}, {"bias", 0.0}}));
  };
  table["prelu"] = lower_prelu;
  table["log_sigmoid"] = [](OnnxCall& call) {
    call.give(call.op("Neg", {call.op("Softplus", {call.op("Neg", {call.tensor("self")})})}));
  };
  table["glu"] = lower_glu;
  table["threshold"] = lower_threshold;
  table["softmax"] = table["_softmax"] = [](OnnxCall& call) { lower_softmax(call, "Softmax"); };
  table["log_softmax"] = table["_log_softmax"] = [](OnnxCall& call) { lower_softmax(call, "LogSoftmax"); };
  for (const char* name : {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"})
    table[name] = lower_dropout;
}

}  // namespace base
