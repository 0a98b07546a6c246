#include "base/torch.h"

#include <cmath>
#include <numbers>

#include "base/export/onnx_call.h"

namespace base {
namespace {

/// Engines add and multiply these; smaller integers go there and back.
DType counting_type(DType dtype) {
  switch (dtype) {
    case DType::kU8:
    case DType::kI8:
    case DType::kI16:
    case DType::kU16:
    case DType::kBool:
      return DType::kI32;
    default:
      return dtype;
  }
}

std::string binary_in(OnnxCall& call, const std::string& operation, DType type) {
  const DType counting = counting_type(type);
  const std::string result =
      call.op(operation, {call.build.as(call["self"], counting), call.build.as(call["other"], counting)});
  return call.build.cast(result, counting, type);
}

/// self + alpha * other, or the other way round.
void lower_sum(OnnxCall& call, const std::string& operation, bool reversed) {
  const DType type = call.dtype();
  if (type == DType::kBool) return call.give(call.op("Or", {call.tensor("self"), call.build.as(call["other"], type)}));
  const DType counting = counting_type(type);
  std::string a = call.build.as(call["self"], counting);
  std::string b = call.build.as(call["other"], counting);
  std::string& scaled = reversed ? a : b;
  if (call.has("alpha") && call.real("alpha") != 1)
    scaled = call.op("Mul", {scaled, call.build.as(call["alpha"], counting)});
  if (reversed) std::swap(a, b);
  call.give(call.build.cast(call.op(operation, {a, b}), counting, type));
}

std::string truncated(OnnxCall& call, const std::string& x, DType type) {
  return call.op("Where", {call.op("Less", {x, call.constant(0, type)}), call.op("Ceil", {x}), call.op("Floor", {x})});
}

/// Of floating-point numbers LibTorch takes the exact remainder, towards zero: 1 / 0.1 is below 10, whatever a division
/// rounds it to. With the divisor's sign it is the one of a quotient rounded down.
struct Remainder {
  std::string towards_zero;
  std::string crosses;  // whether its sign is not the divisor's
};

Remainder remainder_of(OnnxCall& call, const std::string& a, const std::string& b, DType type) {
  const std::string rest = call.op("Mod", {a, b}, {{"fmod", std::int64_t{1}}});
  const std::string signs = call.op("Mul", {call.op("Sign", {rest}), call.op("Sign", {b})});
  return {rest, call.op("Less", {signs, call.constant(0, type)})};
}

std::string floor_of_quotient(OnnxCall& call, const std::string& a, const std::string& b, DType type) {
  const auto [rest, crosses] = remainder_of(call, a, b, type);
  const std::string whole = call.op("Div", {call.op("Sub", {a, rest}), b});
  const std::string below = call.op("Sub", {whole, call.constant(1, type)});
  const std::string result = call.op("Round", {call.op("Where", {crosses, below, whole})});
  if (!call["other"].is_tensor()) return result;
  return call.op("Where", {call.op("Equal", {b, call.constant(0, type)}), call.op("Div", {a, b}), result});
}

void lower_division(OnnxCall& call, const std::string& rounding) {
  const DType type = counting_type(call.dtype());
  const std::string a = call.build.as(call["self"], type);
  const std::string b = call.build.as(call["other"], type);
  std::string result;
  if (is_floating(type)) {
    result = rounding == "floor" ? floor_of_quotient(call, a, b, type) : call.op("Div", {a, b});
    if (rounding == "trunc") result = truncated(call, result, type);
  } else if (rounding == "floor") {
    result = call.op("Div", {call.op("Sub", {a, call.op("Mod", {a, b})}), b});
  } else {
    result = call.op("Div", {a, b});  // of integers: towards zero
  }
  call.give(call.build.cast(result, type, call.dtype()));
}

void lower_remainder(OnnxCall& call) {
  const DType type = counting_type(call.dtype());
  const std::string a = call.build.as(call["self"], type);
  const std::string b = call.build.as(call["other"], type);
  std::string result;
  if (is_floating(type)) {
    const auto [rest, crosses] = remainder_of(call, a, b, type);
    result = call.op("Where", {crosses, call.op("Add", {rest, b}), rest});
  } else {
    result = call.op("Mod", {a, b});
  }
  call.give(call.build.cast(result, type, call.dtype()));
}

void lower_fmod(OnnxCall& call) {
  const DType type = counting_type(call.dtype());
  const std::string a = call.build.as(call["self"], type);
  const std::string b = call.build.as(call["other"], type);
  call.give(call.build.cast(call.op("Mod", {a, b}, {{"fmod", std::int64_t{1}}}), type, call.dtype()));
}

void lower_power(OnnxCall& call) {
  const DType type = counting_type(call.dtype());
  const std::string base = call.build.as(call["self"], type);
  const Operand& exponent = call["exponent"];
  const bool square = exponent.kind != Operand::Kind::kTensor && !exponent.is_computed() && call.real("exponent") == 2;
  const std::string result =
      square ? call.op("Mul", {base, base}) : call.op("Pow", {base, call.build.as(exponent, type)});
  call.give(call.build.cast(result, type, call.dtype()));
}

/// A function that ONNX has too. Of integers LibTorch takes it as that of floating-point numbers where it is one.
template <const char* kOperation>
void lower_unary(OnnxCall& call) {
  const DType type = counting_type(call.dtype());
  call.give(call.build.cast(call.op(kOperation, {call.build.as(call["self"], type)}), type, call.dtype()));
}

/// Nothing to do for integers.
template <const char* kOperation>
void lower_rounding(OnnxCall& call) {
  call.give(is_floating(call.dtype()) ? call.op(kOperation, {call.tensor("self")}) : call.tensor("self"));
}

void lower_round(OnnxCall& call) {
  const std::string& x = call.tensor("self");
  if (!is_floating(call.dtype())) return call.give(x);
  if (call.integer("decimals") == 0) return call.give(call.op("Round", {x}));
  const std::string scale = call.constant(std::pow(10.0, static_cast<double>(call.integer("decimals"))), call.dtype());
  call.give(call.op("Div", {call.op("Round", {call.op("Mul", {x, scale})}), scale}));
}

std::string floating_self(OnnxCall& call) {
  return call.build.as(call["self"], call.dtype());
}

void lower_log_to_base(OnnxCall& call, double base) {
  call.give(call.op("Div", {call.op("Log", {floating_self(call)}), call.constant(std::log(base), call.dtype())}));
}

/// self + value * tensor1 (times or by) tensor2
void lower_add_combined(OnnxCall& call, const std::string& operation) {
  const DType type = call.dtype();
  std::string combined =
      call.op(operation, {call.build.as(call["tensor1"], type), call.build.as(call["tensor2"], type)});
  if (call.has("value") && call.real("value") != 1)
    combined = call.op("Mul", {combined, call.build.as(call["value"], type)});
  call.give(call.op("Add", {call.build.as(call["self"], type), combined}));
}

void lower_lerp(OnnxCall& call) {
  const DType type = call.dtype();
  const std::string start = call.build.as(call["self"], type);
  const std::string way = call.op("Sub", {call.build.as(call["end"], type), start});
  call.give(call.op("Add", {start, call.op("Mul", {way, call.build.as(call["weight"], type)})}));
}

void lower_logaddexp(OnnxCall& call) {
  const DType type = call.dtype();
  const std::string a = call.build.as(call["self"], type);
  const std::string b = call.build.as(call["other"], type);
  const std::string gap = call.op("Neg", {call.op("Abs", {call.op("Sub", {a, b})})});
  call.give(call.op("Add", {call.op("Max", {a, b}), call.op("Softplus", {gap})}));
}

constexpr char kAbs[] = "Abs", kAcos[] = "Acos", kAcosh[] = "Acosh", kAsin[] = "Asin", kAsinh[] = "Asinh",
               kAtan[] = "Atan", kAtanh[] = "Atanh", kCos[] = "Cos", kCosh[] = "Cosh", kErf[] = "Erf", kExp[] = "Exp",
               kLog[] = "Log", kNeg[] = "Neg", kReciprocal[] = "Reciprocal", kSign[] = "Sign", kSin[] = "Sin",
               kSinh[] = "Sinh", kSqrt[] = "Sqrt", kTan[] = "Tan", kFloor[] = "Floor", kCeil[] = "Ceil";

void add_functions(OnnxTable& table) {
  table["abs"] = lower_unary<kAbs>;
  table["acos"] = table["arccos"] = lower_unary<kAcos>;
  table["acosh"] = lower_unary<kAcosh>;
  table["asin"] = table["arcsin"] = lower_unary<kAsin>;
  table["asinh"] = lower_unary<kAsinh>;
  table["atan"] = table["arctan"] = lower_unary<kAtan>;
  table["atanh"] = lower_unary<kAtanh>;
  table["cos"] = lower_unary<kCos>;
  table["cosh"] = lower_unary<kCosh>;
  table["erf"] = lower_unary<kErf>;
  table["exp"] = lower_unary<kExp>;
  table["log"] = lower_unary<kLog>;
  table["neg"] = table["negative"] = lower_unary<kNeg>;
  table["reciprocal"] = lower_unary<kReciprocal>;
  table["sign"] = table["sgn"] = lower_unary<kSign>;
  table["sin"] = lower_unary<kSin>;
  table["sinh"] = lower_unary<kSinh>;
  table["sqrt"] = lower_unary<kSqrt>;
  table["tan"] = lower_unary<kTan>;
  table["floor"] = lower_rounding<kFloor>;
  table["ceil"] = lower_rounding<kCeil>;
  table["round"] = lower_round;
  table["trunc"] = table["fix"] = [](OnnxCall& call) {
    call.give(is_floating(call.dtype()) ? truncated(call, call.tensor("self"), call.dtype()) : call.tensor("self"));
  };
  table["frac"] = [](OnnxCall& call) {
    const std::string& x = call.tensor("self");
    call.give(call.op("Sub", {x, truncated(call, x, call.dtype())}));
  };
  table["rsqrt"] = [](OnnxCall& call) { call.give(call.op("Reciprocal", {call.op("Sqrt", {floating_self(call)})})); };
  table["square"] = [](OnnxCall& call) { call.give(call.op("Mul", {call.tensor("self"), call.tensor("self")})); };
  table["log1p"] = [](OnnxCall& call) {
    call.give(call.op("Log", {call.op("Add", {floating_self(call), call.constant(1, call.dtype())})}));
  };
  table["expm1"] = [](OnnxCall& call) {
    call.give(call.op("Sub", {call.op("Exp", {floating_self(call)}), call.constant(1, call.dtype())}));
  };
  table["exp2"] = [](OnnxCall& call) {
    call.give(call.op("Pow", {call.constant(2, call.dtype()), floating_self(call)}));
  };
  table["erfc"] = [](OnnxCall& call) {
    call.give(call.op("Sub", {call.constant(1, call.dtype()), call.op("Erf", {floating_self(call)})}));
  };
  table["log2"] = [](OnnxCall& call) { lower_log_to_base(call, 2); };
  table["log10"] = [](OnnxCall& call) { lower_log_to_base(call, 10); };
  table["deg2rad"] = [](OnnxCall& call) {
    call.give(call.op("Mul", {floating_self(call), call.constant(std::numbers::pi / 180, call.dtype())}));
  };
  table["rad2deg"] = [](OnnxCall& call) {
    call.give(call.op("Mul", {floating_self(call), call.constant(180 / std::numbers::pi, call.dtype())}));
  };
}

}  // namespace

void add_arithmetic(OnnxTable& table) {
  table["add"] = [](OnnxCall& call) { lower_sum(call, "Add", false); };
  table["sub"] = table["subtract"] = [](OnnxCall& call) { lower_sum(call, "Sub", false); };
  table["rsub"] = [](OnnxCall& call) { lower_sum(call, "Sub", true); };
  table["mul"] = table["multiply"] = [](OnnxCall& call) {
    const bool truths = call.dtype() == DType::kBool;
    call.give(truths ? call.op("And", {call.tensor("self"), call.build.as(call["other"], DType::kBool)})
                     : binary_in(call, "Mul", call.dtype()));
  };
  table["div"] = table["divide"] =
      table["true_divide"] = [](OnnxCall& call) { lower_division(call, call["rounding_mode"].text); };
  table["floor_divide"] = [](OnnxCall& call) { lower_division(call, "floor"); };
  table["remainder"] = lower_remainder;
  table["fmod"] = lower_fmod;
  table["pow"] = lower_power;
  table["maximum"] = [](OnnxCall& call) { call.give(binary_in(call, "Max", call.dtype())); };
  table["minimum"] = [](OnnxCall& call) { call.give(binary_in(call, "Min", call.dtype())); };
  table["addcmul"] = [](OnnxCall& call) { lower_add_combined(call, "Mul"); };
  table["addcdiv"] = [](OnnxCall& call) { lower_add_combined(call, "Div"); };
  table["lerp"] = lower_lerp;
  table["logaddexp"] = lower_logaddexp;
  add_functions(table);
}

}  // namespace base
