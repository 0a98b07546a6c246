#include "base/torch.h"

#include <limits>

#include "base/export/onnx_call.h"

namespace base {
namespace {

/// Types that engines compare; the smaller ones in I32.
DType comparing_type(OnnxCall& call) {
  const DType type = common_type({call["self"], call["other"]});
  switch (type) {
    case DType::kU8:
    case DType::kI8:
    case DType::kI16:
    case DType::kU16:
    case DType::kBool:
      return DType::kI32;
    default:
      return type;
  }
}

std::string compared(OnnxCall& call, const std::string& operation) {
  const DType type = comparing_type(call);
  return call.op(operation, {call.build.as(call["self"], type), call.build.as(call["other"], type)});
}

void lower_logical(OnnxCall& call, const std::string& operation) {
  if (call.operation.starts_with("bitwise") || call.operation.starts_with("__")) {
    if (call.dtype() != DType::kBool) call.refuse("bits of integers have no operator in ONNX 17");
  }
  call.give(
      call.op(operation, {call.build.as(call["self"], DType::kBool), call.build.as(call["other"], DType::kBool)}));
}

void lower_not(OnnxCall& call) {
  if (call.operation == "bitwise_not" && call.dtype() != DType::kBool)
    call.refuse("bits of integers have no operator in ONNX 17");
  call.give(call.op("Not", {call.build.as(call["self"], DType::kBool)}));
}

void lower_where(OnnxCall& call) {
  if (!call.has("self")) call.refuse("how many places there are depends on the inputs");
  const std::string condition = call.build.as(call["condition"], DType::kBool);
  call.give(call.op(
      "Where", {condition, call.build.as(call["self"], call.dtype()), call.build.as(call["other"], call.dtype())}));
}

void lower_masked_fill(OnnxCall& call) {
  const std::string mask = call.build.as(call["mask"], DType::kBool);
  call.give(call.op("Where", {mask, call.build.as(call["value"], call.dtype()), call.tensor("self")}));
}

void lower_clamp(OnnxCall& call) {
  const DType type = call.dtype();
  const Operand& low = call["min"];
  const Operand& high = call["max"];
  const std::string x = call.build.as(call["self"], type);
  const auto plain = [](const Operand& limit) { return !limit.is_tensor() || limit.axes.empty(); };
  if (is_floating(type) && plain(low) && plain(high)) {
    std::vector<std::string> inputs = {x, low.is_none() ? "" : call.build.as(low, type)};
    if (!high.is_none()) inputs.push_back(call.build.as(high, type));
    return call.give(call.op("Clip", inputs));
  }
  const DType wide = is_floating(type) || type == DType::kI64 ? type : DType::kI32;
  std::string result = call.build.cast(x, type, wide);
  if (!low.is_none()) result = call.op("Max", {result, call.build.as(low, wide)});
  if (!high.is_none()) result = call.op("Min", {result, call.build.as(high, wide)});
  call.give(call.build.cast(result, wide, type));
}

void lower_nan_to_num(OnnxCall& call) {
  const DType type = call.dtype();
  std::string x = call.tensor("self");
  if (!is_floating(type)) return call.give(x);
  const double most = type == DType::kF64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  x = call.op("Where", {call.op("IsNaN", {x}), call.constant(call.real("nan", 0), type), x});
  const auto replace = [&](const char* sign, double with) {
    const std::string found = call.op("IsInf", {x}, {{sign, std::int64_t{0}}});
    x = call.op("Where", {found, call.constant(with, type), x});
  };
  replace("detect_negative", call.real("posinf", most));
  replace("detect_positive", call.real("neginf", -most));
  call.give(x);
}

}  // namespace

void add_comparisons(OnnxTable& table) {
  table["eq"] = [](OnnxCall& call) { call.give(compared(call, "Equal")); };
  table["ne"] = table["not_equal"] = [](OnnxCall& call) { call.give(call.op("Not", {compared(call, "Equal")})); };
  table["lt"] = table["less"] = [](OnnxCall& call) { call.give(compared(call, "Less")); };
  table["le"] = table["less_equal"] = [](OnnxCall& call) { call.give(compared(call, "LessOrEqual")); };
  table["gt"] = table["greater"] = [](OnnxCall& call) { call.give(compared(call, "Greater")); };
  table["ge"] = table["greater_equal"] = [](OnnxCall& call) { call.give(compared(call, "GreaterOrEqual")); };
  table["logical_and"] = table["bitwise_and"] = table["__and__"] = [](OnnxCall& call) { lower_logical(call, "And"); };
  table["logical_or"] = table["bitwise_or"] = table["__or__"] = [](OnnxCall& call) { lower_logical(call, "Or"); };
  table["logical_xor"] = table["bitwise_xor"] = table["__xor__"] = [](OnnxCall& call) { lower_logical(call, "Xor"); };
  table["logical_not"] = table["bitwise_not"] = lower_not;
  table["where"] = lower_where;
  table["masked_fill"] = lower_masked_fill;
  table["clamp"] = table["clamp_min"] = table["clamp_max"] = table["clip"] = lower_clamp;
  table["nan_to_num"] = lower_nan_to_num;
  table["isnan"] = [](OnnxCall& call) { call.give(call.op("IsNaN", {call.tensor("self")})); };
  table["isinf"] = [](OnnxCall& call) { call.give(call.op("IsInf", {call.tensor("self")})); };
  table["isfinite"] = [](OnnxCall& call) {
    const std::string& x = call.tensor("self");
    call.give(call.op("Not", {call.op("Or", {call.op("IsNaN", {x}), call.op("IsInf", {x})})}));
  };
}

}  // namespace base
