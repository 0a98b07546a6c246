#include "base/torch.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/export/onnx_call.h"

namespace base {
namespace {

using Integers = std::vector<std::int64_t>;

const std::vector<Operand>& wanted_shape(const OnnxCall& call) {
  for (const char* name : {"size", "shape"})
    if (call[name].kind == Operand::Kind::kList) return call[name].items;
  return call["none"].items;
}

void lower_reshape(OnnxCall& call) {
  const Operand& x = call["self"];
  call.give(call.build.reshape(x.name, x.axes, call.output().axes, wanted_shape(call)));
}

Integers counted(std::int64_t rank) {
  Integers order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void lower_transpose(OnnxCall& call, const char* first, const char* second) {
  const std::int64_t rank = call["self"].rank();
  Integers order = counted(rank);
  if (rank > 0)
    std::swap(order.at(static_cast<std::size_t>(call.axis(first, rank))),
              order.at(static_cast<std::size_t>(call.axis(second, rank))));
  call.give(call.build.transpose(call.tensor("self"), order));
}

void lower_movedim(OnnxCall& call) {
  const std::int64_t rank = call["self"].rank();
  const Integers from = call.axes("source", rank);
  const Integers to = call.axes("destination", rank);
  Integers order(static_cast<std::size_t>(rank), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order.at(static_cast<std::size_t>(to[i])) = from[i];
  Integers rest;
  for (std::int64_t axis = 0; axis < rank; ++axis)
    if (std::ranges::find(from, axis) == from.end()) rest.push_back(axis);
  auto next = rest.begin();
  for (std::int64_t& axis : order)
    if (axis == -1) axis = *next++;
  call.give(call.build.transpose(call.tensor("self"), order));
}

void lower_last_transposed(OnnxCall& call) {
  Integers order = counted(call["self"].rank());
  if (order.size() >= 2) std::swap(order[order.size() - 1], order[order.size() - 2]);
  call.give(call.build.transpose(call.tensor("self"), order));
}

void lower_squeeze(OnnxCall& call) {
  const Operand& x = call["self"];
  Integers given = call.has("dim") ? call.axes("dim", x.rank()) : counted(x.rank());
  std::erase_if(given, [&](std::int64_t axis) {
    const Axis& size = x.axes.at(static_cast<std::size_t>(axis));
    return size.is_dynamic() || size.size != 1;
  });
  call.give(call.build.squeeze(x.name, given));
}

void lower_expand(OnnxCall& call) {
  const Operand& x = call["self"];
  if (x.axes == call.output().axes) return call.give(x.name);
  const std::vector<Operand>& wanted = wanted_shape(call);
  std::vector<Operand> sizes;
  for (std::size_t i = 0; i < call.output().axes.size(); ++i) {
    const Axis& axis = call.output().axes[i];
    sizes.push_back(!call.build.knows(axis) && i < wanted.size() ? wanted[i] : call.build.dimension(axis));
  }
  call.give(call.op("Expand", {x.name, call.build.list(sizes)}));
}

void lower_repeat(OnnxCall& call) {
  const Operand& x = call["self"];
  std::vector<Operand> repeats = call[call.has("repeats") ? "repeats" : "dims"].items;
  while (static_cast<std::int64_t>(repeats.size()) < x.rank()) repeats.insert(repeats.begin(), number(1));
  Integers added;
  for (std::int64_t i = 0; i + x.rank() < static_cast<std::int64_t>(repeats.size()); ++i) added.push_back(i);
  call.give(call.op("Tile", {call.build.unsqueeze(x.name, added), call.build.list(repeats)}));
}

void lower_repeat_interleave(OnnxCall& call) {
  const Operand& x = call["self"];
  if (call["repeats"].is_tensor() || !call.has("self"))
    call.refuse("counts that are a tensor have no operator in ONNX");
  std::string value = x.name;
  std::int64_t axis = 0;
  std::int64_t rank = x.rank();
  if (call.has("dim")) {
    axis = call.axis("dim", rank);
  } else {
    value = call.op("Reshape", {value, call.build.integers({-1})});
    rank = 1;
  }
  std::vector<Operand> repeats(static_cast<std::size_t>(rank) + 1, number(1));
  repeats[static_cast<std::size_t>(axis) + 1] = call["repeats"];
  const std::string repeated = call.op("Tile", {call.build.unsqueeze(value, {axis + 1}), call.build.list(repeats)});
  std::vector<Axis> between = rank == 1 && x.rank() != 1 ? std::vector<Axis>{{.size = -1, .name = "*"}} : x.axes;
  between.insert(between.begin() + axis + 1, Axis{.size = call["repeats"].integer});
  call.give(call.build.reshape(repeated, between, call.output().axes));
}

void lower_cat(OnnxCall& call) {
  const std::int64_t rank = call.output().rank();
  std::vector<std::string> parts;
  for (const Operand& tensor : call["tensors"].items) {
    const bool nothing = tensor.rank() == 1 && rank > 1;  // an empty list of old
    if (!nothing) parts.push_back(call.build.as(tensor, call.dtype()));
  }
  call.give(call.op("Concat", parts, {{"axis", call.axis("dim", rank)}}));
}

void lower_stack(OnnxCall& call) {
  const std::int64_t axis = call.axis("dim", call.output().rank());
  std::vector<std::string> parts;
  for (const Operand& tensor : call["tensors"].items)
    parts.push_back(call.build.unsqueeze(call.build.as(tensor, call.dtype()), {axis}));
  call.give(call.op("Concat", parts, {{"axis", axis}}));
}

void lower_split(OnnxCall& call) {
  const Operand& x = call["self"];
  const std::int64_t axis = call.axis("dim", x.rank());
  std::vector<Operand> sizes;
  bool known = true;
  for (std::size_t i = 0; i < call.output_count(); ++i) {
    const Axis& size = call.output(i).axes.at(static_cast<std::size_t>(axis));
    known &= call.build.knows(size);
    if (known) sizes.push_back(call.build.dimension(size));
  }
  const Operand& lengths = call[call.has("split_sizes") ? "split_sizes" : "split_size"];
  if (!known && lengths.kind == Operand::Kind::kList && lengths.items.size() == call.output_count()) {
    sizes = lengths.items;
  } else if (!known) {
    // Halves of an axis whose size is only known when it runs: all of one length but the last.
    const Operand whole = call.build.dimension(x.axes.at(static_cast<std::size_t>(axis)));
    const std::int64_t first = call.output(0).axes.at(static_cast<std::size_t>(axis)).size;
    const auto parts = static_cast<std::int64_t>(call.output_count());
    const Operand up = call.build.sum(whole, number(parts - 1));
    Operand length = call.has("split_size") ? call["split_size"] : call.build.computed("Div", up, number(parts), first);
    Operand end = number(0);
    for (std::size_t i = 0; i < call.output_count(); ++i) {
      const Operand start = end;
      end = i + 1 == call.output_count() ? number(std::numeric_limits<std::int64_t>::max())
                                         : call.build.sum(start, length);
      call.give(i, call.build.slice(x.name, axis, start, end));
    }
    return;
  }
  if (call.output_count() == 1) return call.give(x.name);
  const auto parts =
      call.build.emit_many("Split", {x.name, call.build.list(sizes)}, {{"axis", axis}}, call.output_count());
  for (std::size_t i = 0; i < parts.size(); ++i) call.give(i, parts[i]);
}

/// As evenly as it goes, the first parts one longer than the others; or at indices.
void lower_tensor_split(OnnxCall& call) {
  const Operand& x = call["self"];
  if (call.has("tensor_indices_or_sections")) call.refuse("where it splits must be numbers, not a tensor");
  const std::int64_t axis = call.axis("dim", x.rank());
  const Axis& whole = x.axes.at(static_cast<std::size_t>(axis));
  if (!whole.is_dynamic()) return lower_split(call);
  std::vector<Operand> ends = call["indices"].items;
  if (ends.empty()) {
    const Operand size = call.build.dimension(whole);
    const std::int64_t sections = call.integer("sections", 1);
    const std::int64_t length = size.integer / sections;
    const std::int64_t rest = size.integer % sections;
    const Operand each = call.build.computed("Div", size, number(sections), length);
    const Operand longer = call.build.computed("Mod", size, number(sections), rest);
    for (std::int64_t i = 1; i < sections; ++i) {
      ends.push_back(call.build.sum(call.build.computed("Mul", each, number(i), i * length),
                                    call.build.computed("Min", longer, number(i), std::min(i, rest))));
    }
  }
  ends.push_back(number(std::numeric_limits<std::int64_t>::max()));
  Operand start = number(0);
  for (std::size_t i = 0; i < call.output_count(); ++i) {
    call.give(i, call.build.slice(x.name, axis, start, ends.at(i)));
    start = ends[i];
  }
}

void lower_unbind(OnnxCall& call) {
  const std::int64_t axis = call.axis("dim", call["self"].rank());
  for (std::size_t i = 0; i < call.output_count(); ++i) {
    const std::string place = call.build.scalar(static_cast<std::int64_t>(i), DType::kI64);
    call.give(i, call.op("Gather", {call.tensor("self"), place}, {{"axis", axis}}));
  }
}

void lower_flip(OnnxCall& call) {
  std::string value = call.tensor("self");
  for (const std::int64_t axis : call.axes("dims", call["self"].rank()))
    value = call.build.slice(value, axis, number(-1), number(std::numeric_limits<std::int64_t>::min() + 1), -1);
  call.give(value);
}

void lower_roll(OnnxCall& call) {
  const Operand& x = call["self"];
  const Integers shifts = call.integers("shifts");
  Integers axes = call.axes("dims", x.rank());
  std::string value = x.name;
  const bool flat = axes.empty();
  if (flat) {
    axes = {0};
    if (x.rank() != 1) value = call.op("Reshape", {value, call.build.integers({-1})});
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    // The last `shift` go to the front; a shift past the size goes round.
    const Axis& axis = x.axes.at(static_cast<std::size_t>(axes[i]));
    if (!flat && !axis.is_dynamic() && axis.size == 0) continue;
    std::int64_t shift = shifts[i];
    std::int64_t size = 1;
    bool dynamic = axis.is_dynamic();
    if (flat) {
      for (const Axis& each : x.axes) {
        size *= each.size;
        dynamic |= each.is_dynamic();
      }
    } else {
      size = axis.size;
    }
    if (!dynamic) shift = ((shift % size) + size) % size;
    if (shift == 0) continue;
    const Operand most = number(std::numeric_limits<std::int64_t>::max());
    const std::string back = call.build.slice(value, axes[i], number(-shift), most);
    const std::string front = call.build.slice(value, axes[i], number(0), number(-shift));
    value = call.op("Concat", {back, front}, {{"axis", axes[i]}});
  }
  if (flat && x.rank() != 1) value = call.build.reshape(value, {}, x.axes);
  call.give(value);
}

void lower_cast(OnnxCall& call) {
  call.give(call.build.as(call["self"], call.dtype()));
}

void lower_copy(OnnxCall& call) {
  const std::string value = call.build.as(call["src"], call.dtype());
  call.give(call["src"].axes == call.output().axes ? value
                                                   : call.op("Expand", {value, call.build.shape(call.output().axes)}));
}

}  // namespace

void add_shapes(OnnxTable& table) {
  for (const char* name :
       {"view", "reshape", "flatten", "unflatten", "view_as", "reshape_as", "_unsafe_view", "ravel", "_reshape_alias"})
    table[name] = lower_reshape;
  table["permute"] = [](OnnxCall& call) {
    call.give(call.build.transpose(call.tensor("self"), call.axes("dims", call["self"].rank())));
  };
  table["transpose"] = [](OnnxCall& call) { lower_transpose(call, "dim0", "dim1"); };
  table["swapaxes"] = [](OnnxCall& call) { lower_transpose(call, "axis0", "axis1"); };
  table["swapdims"] = [](OnnxCall& call) { lower_transpose(call, "dim0", "dim1"); };
  table["t"] = table["mT"] = lower_last_transposed;
  table["numpy_T"] = [](OnnxCall& call) {
    Integers order = counted(call["self"].rank());
    std::ranges::reverse(order);
    call.give(call.build.transpose(call.tensor("self"), order));
  };
  table["movedim"] = table["moveaxis"] = lower_movedim;
  table["squeeze"] = lower_squeeze;
  table["unsqueeze"] = [](OnnxCall& call) {
    call.give(call.build.unsqueeze(call.tensor("self"), {call.axis("dim", call.output().rank())}));
  };
  table["expand"] = table["expand_as"] = table["broadcast_to"] = lower_expand;
  table["repeat"] = table["tile"] = lower_repeat;
  table["repeat_interleave"] = lower_repeat_interleave;
  table["cat"] = table["concat"] = table["concatenate"] = lower_cat;
  table["stack"] = lower_stack;
  for (const char* name : {"split", "split_with_sizes", "chunk", "unsafe_split", "unsafe_chunk"})
    table[name] = lower_split;
  table["tensor_split"] = lower_tensor_split;
  table["unbind"] = lower_unbind;
  table["flip"] = lower_flip;
  table["roll"] = lower_roll;
  for (const char* name : {"contiguous", "clone", "detach", "to", "_to_copy", "type_as", "alias", "lift_fresh", "lift",
                           "cpu", "positive", "resolve_conj", "resolve_neg", "set_data", "requires_grad"})
    table[name] = lower_cast;
  table["copy"] = lower_copy;
}

}  // namespace base
