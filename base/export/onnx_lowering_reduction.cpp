#include "base/torch.h"

#include <cmath>
#include <limits>

#include "base/export/onnx_call.h"

namespace base {
namespace {

using Integers = std::vector<std::int64_t>;

Integers reduced_axes(const OnnxCall& call) {
  const std::int64_t rank = call["self"].rank();
  Integers axes = call.has("dim") ? call.axes("dim", rank) : Integers{};
  if (axes.empty())
    for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i);
  return axes;
}

std::int64_t keeps(const OnnxCall& call) {
  return call.truth("keepdim") ? 1 : 0;
}

std::string reduce(OnnxCall& call, const std::string& operation, const std::string& x, const Integers& axes,
                   std::int64_t keep) {
  if (axes.empty()) return x;
  if (operation == "ReduceSum") return call.op(operation, {x, call.build.integers(axes)}, {{"keepdims", keep}});
  return call.op(operation, {x}, {{"axes", axes}, {"keepdims", keep}});
}

void lower_reduction(OnnxCall& call, const std::string& operation) {
  const std::string x = call.build.as(call["self"], call.dtype());
  call.give(reduce(call, operation, x, reduced_axes(call), keeps(call)));
}

/// Types in which engines look for the largest.
DType searching_type(DType type) {
  return is_floating(type) ? type : DType::kF64;
}

std::string index_of(OnnxCall& call, const std::string& operation, std::int64_t axis, std::int64_t keep) {
  const Operand& x = call["self"];
  return call.op(operation, {call.build.as(x, searching_type(x.dtype))}, {{"axis", axis}, {"keepdims", keep}});
}

/// max and min are three operators in LibTorch: of two tensors, of all numbers, and along an axis with the places.
void lower_extreme(OnnxCall& call, const std::string& word) {
  const Operand& x = call["self"];
  if (call.has("other")) {
    const DType type = call.dtype();
    const DType wide = is_floating(type) || type == DType::kI64 ? type : DType::kI32;
    const std::string y = call.op(word, {call.build.as(x, wide), call.build.as(call["other"], wide)});
    return call.give(call.build.cast(y, wide, type));
  }
  const DType type = x.dtype == DType::kBool ? DType::kI32 : x.dtype;
  const std::string y = reduce(call, "Reduce" + word, call.build.as(x, type), reduced_axes(call), keeps(call));
  call.give(call.build.cast(y, type, x.dtype));
  if (call.output_count() > 1) call.give(1, index_of(call, "Arg" + word, call.axis("dim", x.rank()), keeps(call)));
}

void lower_arg(OnnxCall& call, const std::string& operation) {
  const Operand& x = call["self"];
  if (call.has("dim")) return call.give(index_of(call, operation, call.axis("dim", x.rank()), keeps(call)));
  const std::string flat = call.op("Reshape", {call.build.as(x, searching_type(x.dtype)), call.build.integers({-1})});
  const std::string place = call.op(operation, {flat}, {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}});
  call.give(keeps(call) != 0 ? call.build.reshape(place, {}, call.output().axes) : place);
}

void lower_truth(OnnxCall& call, const std::string& operation) {
  const std::string truths = call.build.as(call["self"], DType::kBool);
  const std::string numbers = call.build.cast(truths, DType::kBool, DType::kI32);
  const std::string y = reduce(call, operation, numbers, reduced_axes(call), keeps(call));
  call.give(call.build.cast(y, DType::kI32, call.dtype()));
}

void give_norm(OnnxCall& call, const std::string& x, double p, const Integers& axes) {
  const DType type = call.dtype();
  const std::int64_t keep = keeps(call);
  if (p == 2) return call.give(reduce(call, "ReduceL2", x, axes, keep));
  if (p == 1) return call.give(reduce(call, "ReduceL1", x, axes, keep));
  const std::string size = call.op("Abs", {x});
  if (std::isinf(p)) return call.give(reduce(call, p > 0 ? "ReduceMax" : "ReduceMin", size, axes, keep));
  if (p == 0) call.refuse("the number of elements that are not 0 has no operator in ONNX");
  const std::string sum = reduce(call, "ReduceSum", call.op("Pow", {size, call.constant(p, type)}), axes, keep);
  call.give(call.op("Pow", {sum, call.constant(1 / p, type)}));
}

void lower_norm(OnnxCall& call, const char* order) {
  give_norm(call, call.build.as(call["self"], call.dtype()), call.real(order, 2), reduced_axes(call));
}

/// Of vectors, or of all numbers as one. With an order, two axes are those of a matrix, whose norms are others.
void lower_linalg_norm(OnnxCall& call) {
  const bool one_axis = reduced_axes(call).size() == 1;
  if (call["ord"].kind == Operand::Kind::kText || (call.has("ord") && !one_axis))
    call.refuse("the norm of a matrix has no operator in ONNX: leave ord out, or give one axis");
  lower_norm(call, "ord");
}

void lower_distance(OnnxCall& call) {
  const DType type = call.dtype();
  const std::string gap = call.op("Sub", {call.build.as(call["x1"], type), call.build.as(call["x2"], type)});
  give_norm(call, call.op("Add", {gap, call.constant(call.real("eps", 1e-6), type)}), call.real("p", 2), {-1});
}

/// How many numbers are reduced, less the correction.
std::string degrees_of_freedom(OnnxCall& call, const Integers& axes, double correction) {
  const DType type = call.dtype();
  double fixed = 1;
  std::string dynamic;
  for (const std::int64_t axis : axes) {
    const Axis& size = call["self"].axes.at(static_cast<std::size_t>(axis));
    if (!size.is_dynamic()) {
      fixed *= static_cast<double>(size.size);
      continue;
    }
    const std::string count = call.build.as(call.build.dimension(size), type);
    dynamic = dynamic.empty() ? count : call.op("Mul", {dynamic, count});
  }
  if (dynamic.empty()) return call.constant(fixed - correction, type);
  if (fixed != 1) dynamic = call.op("Mul", {dynamic, call.constant(fixed, type)});
  return correction == 0 ? dynamic : call.op("Sub", {dynamic, call.constant(correction, type)});
}

void lower_variance(OnnxCall& call, bool root, bool with_mean) {
  const std::string& x = call.tensor("self");
  const Integers axes = reduced_axes(call);
  const std::int64_t keep = keeps(call);
  const double correction = call.has("unbiased") ? (call.truth("unbiased") ? 1 : 0) : call.real("correction", 1);
  const std::string centred = call.op("Sub", {x, reduce(call, "ReduceMean", x, axes, 1)});
  const std::string squares = reduce(call, "ReduceSum", call.op("Mul", {centred, centred}), axes, keep);
  const std::string variance = call.op("Div", {squares, degrees_of_freedom(call, axes, correction)});
  call.give(root ? call.op("Sqrt", {variance}) : variance);
  if (with_mean) call.give(1, reduce(call, "ReduceMean", x, axes, keep));
}

void give_sorted(OnnxCall& call, const Operand& count, std::int64_t axis, bool largest, bool only_places) {
  const Operand& x = call["self"];
  const DType type = x.dtype == DType::kBool || x.dtype == DType::kU8 || x.dtype == DType::kI8 ? DType::kI32 : x.dtype;
  const auto sorted = call.build.emit_many("TopK", {call.build.as(x, type), call.build.list({count})},
                                           {{"axis", axis}, {"largest", std::int64_t{largest ? 1 : 0}}}, 2);
  if (only_places) return call.give(sorted[1]);
  call.give(call.build.cast(sorted[0], type, x.dtype));
  call.give(1, sorted[1]);
}

void lower_sort(OnnxCall& call, bool only_places) {
  const std::int64_t axis = call.axis("dim", call["self"].rank(), -1);
  const Operand count = call.build.dimension(call["self"].axes.at(static_cast<std::size_t>(axis)));
  give_sorted(call, count, axis, call.truth("descending"), only_places);
}

}  // namespace

void add_reductions(OnnxTable& table) {
  table["sum"] = [](OnnxCall& call) { lower_reduction(call, "ReduceSum"); };
  table["mean"] = [](OnnxCall& call) { lower_reduction(call, "ReduceMean"); };
  table["prod"] = [](OnnxCall& call) { lower_reduction(call, "ReduceProd"); };
  table["logsumexp"] = [](OnnxCall& call) { lower_reduction(call, "ReduceLogSumExp"); };
  table["max"] = table["amax"] = [](OnnxCall& call) { lower_extreme(call, "Max"); };
  table["min"] = table["amin"] = [](OnnxCall& call) { lower_extreme(call, "Min"); };
  table["argmax"] = [](OnnxCall& call) { lower_arg(call, "ArgMax"); };
  table["argmin"] = [](OnnxCall& call) { lower_arg(call, "ArgMin"); };
  table["all"] = [](OnnxCall& call) { lower_truth(call, "ReduceMin"); };
  table["any"] = [](OnnxCall& call) { lower_truth(call, "ReduceMax"); };
  table["norm"] = table["frobenius_norm"] = [](OnnxCall& call) { lower_norm(call, "p"); };
  table["linalg_vector_norm"] = [](OnnxCall& call) { lower_norm(call, "ord"); };
  table["linalg_norm"] = lower_linalg_norm;
  table["pairwise_distance"] = lower_distance;
  table["var"] = [](OnnxCall& call) { lower_variance(call, false, false); };
  table["std"] = [](OnnxCall& call) { lower_variance(call, true, false); };
  table["var_mean"] = [](OnnxCall& call) { lower_variance(call, false, true); };
  table["std_mean"] = [](OnnxCall& call) { lower_variance(call, true, true); };
  table["cumsum"] = [](OnnxCall& call) {
    const std::string x = call.build.as(call["self"], call.dtype());
    const std::string axis = call.build.scalar(call.axis("dim", call["self"].rank()), DType::kI64);
    call.give(call.op("CumSum", {x, axis}));
  };
  table["topk"] = [](OnnxCall& call) {
    give_sorted(call, call["k"], call.axis("dim", call["self"].rank(), -1), call.truth("largest", true), false);
  };
  table["sort"] = [](OnnxCall& call) { lower_sort(call, false); };
  table["argsort"] = [](OnnxCall& call) { lower_sort(call, true); };
}

}  // namespace base
