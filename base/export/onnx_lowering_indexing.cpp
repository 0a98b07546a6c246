#include "base/torch.h"

#include <algorithm>
#include <limits>

#include "base/export/onnx_call.h"

namespace base {
namespace {

using Integers = std::vector<std::int64_t>;

Operand or_number(const Operand& operand, std::int64_t otherwise) {
  return operand.is_none() ? number(otherwise) : operand;
}

void lower_slice(OnnxCall& call) {
  const std::int64_t axis = call.axis("dim", call["self"].rank());
  const Operand start = or_number(call["start"], 0);
  const Operand end = or_number(call["end"], std::numeric_limits<std::int64_t>::max());
  const Axis& size = call["self"].axes.at(static_cast<std::size_t>(axis));
  const std::int64_t step = call.integer("step", 1);
  // All of it, as C++ writes it: from 0 to the size.
  const bool to_end = end.is_computed() ? end.integer == size.size : end.integer >= size.size;
  if (step == 1 && !start.is_computed() && start.integer == 0 && to_end && call.output().axes == call["self"].axes)
    return call.give(call.tensor("self"));
  call.give(call.build.slice(call.tensor("self"), axis, start, end, step));
}

void lower_narrow(OnnxCall& call) {
  if (call["start"].is_tensor()) call.refuse("a start that is a tensor has no operator in ONNX");
  const std::int64_t axis = call.axis("dim", call["self"].rank());
  const Operand end = call.build.sum(call["start"], call["length"]);
  // Counted from the end, the last piece ends at 0.
  const bool reaches_end = !end.is_computed() && call["start"].integer < 0 && end.integer == 0;
  call.give(call.build.slice(call.tensor("self"), axis, call["start"],
                             reaches_end ? number(std::numeric_limits<std::int64_t>::max()) : end));
}

void lower_select(OnnxCall& call) {
  const std::int64_t axis = call.axis("dim", call["self"].rank());
  call.give(call.op("Gather", {call.tensor("self"), call.build.as(call["index"], DType::kI64)}, {{"axis", axis}}));
}

std::string indices(OnnxCall& call, const Operand& index) {
  if (index.dtype == DType::kBool || index.dtype == DType::kU8)
    call.refuse("with a mask, the size of what it gives depends on the inputs: use torch::where");
  return call.build.as(index, DType::kI64);
}

/// The shape that tensors have together.
std::vector<Axis> broadcast(const std::vector<const Operand*>& operands) {
  std::size_t rank = 0;
  for (const Operand* operand : operands) rank = std::max(rank, operand->axes.size());
  std::vector<Axis> axes(rank);
  for (const Operand* operand : operands) {
    for (std::size_t i = 0; i < operand->axes.size(); ++i) {
      const Axis& axis = operand->axes[i];
      if (axis.is_dynamic() || axis.size != 1) axes[rank - operand->axes.size() + i] = axis;
    }
  }
  return axes;
}

void lower_index(OnnxCall& call) {
  const Operand& x = call["self"];
  Integers indexed;
  Integers others;
  std::vector<const Operand*> given;
  const std::vector<Operand>& list = call["indices"].items;
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    const auto place = static_cast<std::size_t>(axis);
    const bool is_indexed = place < list.size() && !list[place].is_none();
    (is_indexed ? indexed : others).push_back(axis);
    if (is_indexed) given.push_back(&list[place]);
  }
  if (given.empty()) return call.give(x.name);
  if (given.size() == 1) {
    return call.give(call.op("Gather", {x.name, indices(call, *given[0])}, {{"axis", indexed[0]}}));
  }
  const std::vector<Axis> together = broadcast(given);
  std::vector<std::string> columns;
  for (const Operand* index : given) {
    std::string column = indices(call, *index);
    if (index->axes != together) column = call.op("Expand", {column, call.build.shape(together)});
    columns.push_back(call.build.unsqueeze(column, {-1}));
  }
  Integers order = indexed;
  order.insert(order.end(), others.begin(), others.end());
  const std::string places = call.op("Concat", columns, {{"axis", std::int64_t{-1}}});
  const std::string found = call.op("GatherND", {call.build.transpose(x.name, order), places});
  // What is found comes first; between the axes left alone if the indexed ones were neighbours there.
  const bool neighbours = indexed.back() - indexed.front() + 1 == static_cast<std::int64_t>(indexed.size());
  if (!neighbours) return call.give(found);
  const auto width = static_cast<std::int64_t>(together.size());
  Integers back;
  for (std::int64_t i = 0; i < indexed.front(); ++i) back.push_back(width + i);
  for (std::int64_t i = 0; i < width; ++i) back.push_back(i);
  for (std::int64_t i = indexed.front(); i < static_cast<std::int64_t>(others.size()); ++i) back.push_back(width + i);
  call.give(call.build.transpose(found, back));
}

void lower_index_select(OnnxCall& call) {
  const std::int64_t axis = call.axis("dim", call["self"].rank());
  call.give(call.op("Gather", {call.tensor("self"), indices(call, call["index"])}, {{"axis", axis}}));
}

void lower_gather(OnnxCall& call) {
  const std::int64_t axis = call.axis("dim", call["self"].rank());
  call.give(call.op("GatherElements", {call.tensor("self"), indices(call, call["index"])}, {{"axis", axis}}));
}

void lower_scatter(OnnxCall& call, bool add) {
  const std::int64_t axis = call.axis("dim", call["self"].rank());
  if (call.has("reduce")) call.refuse("it can be exported without a reduction");
  const Operand& source = call[call.has("src") ? "src" : "value"];
  std::string updates = call.build.as(source, call.dtype());
  if (!source.is_tensor()) updates = call.op("Expand", {updates, call.build.shape(call["index"].axes)});
  OnnxAttributes attributes = {{"axis", axis}};
  if (add) attributes["reduction"] = std::string("add");
  call.give(call.op("ScatterElements", {call.tensor("self"), indices(call, call["index"]), updates}, attributes));
}

/// From LibTorch's order, the last axis first and both ends of each, to ONNX's: all beginnings, then all ends.
std::string pads_of(OnnxCall& call) {
  const std::vector<Operand>& given = call[call.has("pad") ? "pad" : "padding"].items;
  const auto rank = static_cast<std::size_t>(call["self"].rank());
  std::vector<Operand> pads(2 * rank, number(0));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t axis = rank - 1 - i / 2;
    pads.at(i % 2 == 0 ? axis : rank + axis) = given[i];
  }
  return call.build.list(pads);
}

void lower_pad(OnnxCall& call, const std::string& mode) {
  std::vector<std::string> inputs = {call.tensor("self"), pads_of(call)};
  if (mode == "constant") {
    inputs.push_back(call.has("value") ? call.build.as(call["value"], call.dtype())
                                       : call.build.scalar(std::int64_t{0}, call.dtype()));
  }
  call.give(call.op("Pad", inputs, {{"mode", mode}}));
}

/// The end goes before the beginning, and the beginning after the end.
void lower_circular_pad(OnnxCall& call) {
  const Integers pads = call.integers("pad");
  std::string value = call.tensor("self");
  for (std::size_t i = 0; i + 1 < pads.size(); i += 2) {
    const std::int64_t axis = call["self"].rank() - 1 - static_cast<std::int64_t>(i / 2);
    const Operand end = number(std::numeric_limits<std::int64_t>::max());
    if (pads[i] < 0 || pads[i + 1] < 0) call.refuse("a circular padding below 0 cannot be exported");
    std::vector<std::string> parts;
    if (pads[i] > 0) parts.push_back(call.build.slice(value, axis, number(-pads[i]), end));
    parts.push_back(value);
    if (pads[i + 1] > 0) parts.push_back(call.build.slice(value, axis, number(0), number(pads[i + 1])));
    if (parts.size() > 1) value = call.op("Concat", parts, {{"axis", axis}});
  }
  call.give(value);
}

void lower_pad_by_mode(OnnxCall& call) {
  // LibTorch's enum, or the word.
  static const std::vector<std::string> kModes = {"reflect", "replicate", "circular", "constant"};
  const Operand& given = call["mode"];
  const std::string mode =
      given.kind == Operand::Kind::kText ? given.text : kModes.at(static_cast<std::size_t>(given.integer));
  if (mode == "circular") return lower_circular_pad(call);
  lower_pad(call, mode == "replicate" ? "edge" : mode);
}

}  // namespace

void add_indexing(OnnxTable& table) {
  table["slice"] = lower_slice;
  table["narrow"] = lower_narrow;
  table["select"] = lower_select;
  table["index"] = lower_index;
  table["index_select"] = lower_index_select;
  table["gather"] = lower_gather;
  table["take_along_dim"] = [](OnnxCall& call) {
    if (!call.has("dim")) call.refuse("without dim it takes from all numbers in a row: flatten the tensor, and give 0");
    const std::int64_t axis = call.axis("dim", call["self"].rank());
    call.give(call.op("GatherElements", {call.tensor("self"), indices(call, call["indices"])}, {{"axis", axis}}));
  };
  table["scatter"] = [](OnnxCall& call) { lower_scatter(call, false); };
  table["scatter_add"] = [](OnnxCall& call) { lower_scatter(call, true); };
  table["constant_pad_nd"] = [](OnnxCall& call) { lower_pad(call, "constant"); };
  for (const char* name : {"reflection_pad1d", "reflection_pad2d", "reflection_pad3d"})
    table[name] = [](OnnxCall& call) { lower_pad(call, "reflect"); };
  for (const char* name : {"replication_pad1d", "replication_pad2d", "replication_pad3d"})
    table[name] = [](OnnxCall& call) { lower_pad(call, "edge"); };
  table["pad"] = table["_pad_enum"] = lower_pad_by_mode;
  table["_pad_circular"] = lower_circular_pad;
}

}  // namespace base
