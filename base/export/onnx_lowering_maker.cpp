#include "base/torch.h"

#include <algorithm>

#include "base/export/onnx_call.h"
#include "base/tensor/tensor_view.h"

namespace base {
namespace {

bool is_static(const std::vector<Axis>& axes) {
  return std::ranges::none_of(axes, [](const Axis& axis) { return axis.is_dynamic(); });
}

/// The shape of what is made: by its axes, or by the list where a size is new.
std::string shape_of_made(OnnxCall& call) {
  const std::vector<Axis>& axes = call.output().axes;
  const std::vector<Operand>& wanted = call["size"].items;
  std::vector<Operand> sizes;
  for (std::size_t i = 0; i < axes.size(); ++i)
    sizes.push_back(!call.build.knows(axes[i]) && wanted.size() == axes.size() ? wanted[i]
                                                                               : call.build.dimension(axes[i]));
  return call.build.list(sizes);
}

void lower_filled(OnnxCall& call, const std::string& value) {
  if (call.output().axes.empty()) return call.give(value);
  call.give(call.op("Expand", {value, shape_of_made(call)}));
}

void lower_full(OnnxCall& call) {
  lower_filled(call, call.build.as(call[call.has("fill_value") ? "fill_value" : "value"], call.dtype()));
}

void lower_arange(OnnxCall& call) {
  const DType type = call.dtype();
  const bool plain = !call["start"].is_computed() && !call["end"].is_computed() && !call["step"].is_computed();
  if (plain) {
    const torch::Tensor numbers =
        torch::arange(call.real("start", 0), call.real("end"), call.real("step", 1), torch::kDouble);
    return call.give(call.build.constant(numbers.to(to_torch(type))));
  }
  const DType counting = type == DType::kF32 || type == DType::kF64 || type == DType::kI32 ? type : DType::kI64;
  const std::string start =
      call.has("start") ? call.build.as(call["start"], counting) : call.build.scalar(std::int64_t{0}, counting);
  const std::string step =
      call.has("step") ? call.build.as(call["step"], counting) : call.build.scalar(std::int64_t{1}, counting);
  const std::string numbers = call.op("Range", {start, call.build.as(call["end"], counting), step});
  call.give(call.build.cast(numbers, counting, type));
}

void lower_linspace(OnnxCall& call) {
  const torch::Tensor numbers =
      torch::linspace(call.real("start"), call.real("end"), call.integer("steps"), torch::kDouble);
  call.give(call.build.constant(numbers.to(to_torch(call.dtype()))));
}

void lower_eye(OnnxCall& call) {
  const std::vector<Axis>& axes = call.output().axes;
  if (is_static(axes))
    return call.give(call.build.constant(torch::eye(axes[0].size, axes[1].size).to(to_torch(call.dtype()))));
  const std::string zeros = call.op("Expand", {call.build.scalar(0.0, DType::kF32), call.build.shape(axes)});
  call.give(call.build.cast(call.op("EyeLike", {zeros}), DType::kF32, call.dtype()));
}

void lower_triangle(OnnxCall& call, bool upper) {
  const DType type = call.dtype();
  // Engines cut these; the others go there and back.
  const DType cut = type == DType::kF32 || type == DType::kF64 || type == DType::kI64 ? type : DType::kI64;
  const std::string x = call.build.as(call["self"], cut);
  std::vector<std::string> inputs = {x};
  if (call.has("diagonal") && (call["diagonal"].is_computed() || call["diagonal"].integer != 0))
    inputs.push_back(call.build.as(call["diagonal"], DType::kI64));
  call.give(call.build.cast(call.op("Trilu", inputs, {{"upper", std::int64_t{upper ? 1 : 0}}}), cut, type));
}

void lower_one_hot(OnnxCall& call) {
  const Axis& classes = call.output().axes.back();
  if (call.integer("num_classes", -1) < 0)
    call.refuse("how many classes there are depends on the inputs: give num_classes");
  const std::string depth = call.build.scalar(classes.size, DType::kI64);
  call.give(call.op("OneHot", {call.build.as(call["self"], DType::kI64), depth, call.build.integers({0, 1})},
                    {{"axis", std::int64_t{-1}}}));
}

void lower_meshgrid(OnnxCall& call) {
  const std::vector<Operand>& tensors = call["tensors"].items;
  const bool swapped = call["indexing"].text == "xy";
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto axis = swapped && i < 2 ? 1 - static_cast<std::int64_t>(i) : static_cast<std::int64_t>(i);
    std::vector<std::int64_t> added;
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(tensors.size()); ++j)
      if (j != axis) added.push_back(j);
    call.give(i,
              call.op("Expand", {call.build.unsqueeze(tensors[i].name, added), call.build.shape(call.output(i).axes)}));
  }
}

}  // namespace

void add_makers(OnnxTable& table) {
  for (const char* name : {"zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty", "zero"})
    table[name] = [](OnnxCall& call) { lower_filled(call, call.build.scalar(std::int64_t{0}, call.dtype())); };
  for (const char* name : {"ones", "ones_like", "new_ones"})
    table[name] = [](OnnxCall& call) { lower_filled(call, call.build.scalar(std::int64_t{1}, call.dtype())); };
  for (const char* name : {"full", "full_like", "new_full", "fill"}) table[name] = lower_full;
  table["scalar_tensor"] = [](OnnxCall& call) { call.give(call.build.as(call["s"], call.dtype())); };
  table["arange"] = lower_arange;
  table["linspace"] = lower_linspace;
  table["eye"] = lower_eye;
  table["tril"] = [](OnnxCall& call) { lower_triangle(call, false); };
  table["triu"] = [](OnnxCall& call) { lower_triangle(call, true); };
  table["one_hot"] = lower_one_hot;
  table["meshgrid"] = lower_meshgrid;
}

}  // namespace base
