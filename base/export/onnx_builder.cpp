#include "base/torch.h"

#include "base/export/onnx_builder.h"

#include <algorithm>
#include <cctype>

#include "base/export/onnx_file.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensor_view.h"

namespace base {

DType to_dtype(torch::ScalarType type) {
  return view_of("", torch::empty({0}, type)).dtype;
}

torch::ScalarType to_torch(DType dtype) {
  return tensor_of({.name = "", .dtype = dtype, .shape = {0}, .bytes = {}}).scalar_type();
}

DType common_type(const std::vector<Operand>& operands) {
  constexpr auto kUndefined = torch::ScalarType::Undefined;
  torch::ScalarType tensors = kUndefined;
  torch::ScalarType scalars = kUndefined;
  torch::ScalarType numbers = kUndefined;
  const auto join = [](torch::ScalarType& into, torch::ScalarType type) {
    into = into == kUndefined ? type : c10::promoteTypes(into, type);
  };
  for (const Operand& operand : operands) {
    if (operand.is_tensor()) join(operand.axes.empty() ? scalars : tensors, to_torch(operand.dtype));
    if (operand.kind == Operand::Kind::kInteger) join(numbers, torch::kLong);
    if (operand.kind == Operand::Kind::kReal) join(numbers, torch::kFloat);
    if (operand.kind == Operand::Kind::kTruth) join(numbers, torch::kBool);
  }
  const auto before = [](torch::ScalarType higher, torch::ScalarType lower) {
    if (lower == kUndefined || higher == kUndefined) return lower == kUndefined ? higher : lower;
    if (c10::isFloatingType(higher)) return higher;
    if (higher == torch::kBool || c10::isFloatingType(lower)) return c10::promoteTypes(higher, lower);
    return higher;
  };
  return to_dtype(before(tensors, before(scalars, numbers)));
}

OnnxBuilder::OnnxBuilder(const Signature& signature) {
  graph_.signature = signature;
  for (const TensorSpec& input : signature.inputs) {
    used_.insert(input.name);
    for (std::size_t axis = 0; axis < input.axes.size(); ++axis)
      if (input.axes[axis].is_dynamic()) sources_.try_emplace(input.axes[axis].name, input.name, axis);
  }
  for (const TensorSpec& output : signature.outputs) used_.insert(output.name);
}

std::string OnnxBuilder::fresh(const std::string& wanted) {
  std::string name = wanted;
  while (!used_.insert(name).second) name = format("{}_{}", wanted, ++counts_[wanted]);
  return name;
}

std::vector<std::string> OnnxBuilder::emit_many(const std::string& operation, std::vector<std::string> inputs,
                                                OnnxAttributes attributes, std::size_t outputs) {
  const std::string path = path_.empty() ? operation : path_ + "/" + operation;
  const std::string name = fresh(path);  // a value's name too, so that both tell where they are from
  OnnxNode node{.operation = operation,
                .inputs = std::move(inputs),
                .outputs = {name},
                .attributes = std::move(attributes),
                .name = name};
  for (std::size_t i = 1; i < outputs; ++i) node.outputs.push_back(fresh(format("{}:{}", name, i)));
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs;
}

std::string OnnxBuilder::emit(const std::string& operation, std::vector<std::string> inputs,
                              OnnxAttributes attributes) {
  return emit_many(operation, std::move(inputs), std::move(attributes), 1).front();
}

std::string OnnxBuilder::constant(const torch::Tensor& tensor, const std::string& name) {
  const std::string fitting = fresh(name.empty() ? "constant" : name);
  auto owner = std::make_shared<const torch::Tensor>(tensor.detach().cpu().contiguous());
  graph_.initializers.push_back({.view = view_of(fitting, *owner), .owner = owner});
  constants_[fitting] = *owner;
  return fitting;
}

std::string OnnxBuilder::integers(const std::vector<std::int64_t>& numbers) {
  std::string key = "integers";
  for (const std::int64_t number : numbers) key += format(" {}", number);
  auto [found, is_new] = shared_.try_emplace(key);
  if (is_new) found->second = constant(torch::tensor(numbers, torch::kLong));
  return found->second;
}

std::string OnnxBuilder::scalar(double number, DType dtype) {
  auto [found, is_new] = shared_.try_emplace(format("{} {}", name_of(dtype), number));
  if (is_new) found->second = constant(torch::scalar_tensor(number, to_torch(dtype)));
  return found->second;
}

std::string OnnxBuilder::scalar(std::int64_t number, DType dtype) {
  auto [found, is_new] = shared_.try_emplace(format("{} integer {}", name_of(dtype), number));
  if (is_new) found->second = constant(torch::scalar_tensor(number, to_torch(dtype)));
  return found->second;
}

std::string OnnxBuilder::cast(const std::string& value, DType from, DType to) {
  return from == to ? value : emit("Cast", {value}, {{"to", onnx_type(to)}});
}

std::string OnnxBuilder::as(const Operand& operand, DType dtype) {
  switch (operand.kind) {
    case Operand::Kind::kTensor:
      return cast(operand.name, operand.dtype, dtype);
    case Operand::Kind::kReal:
      if (operand.is_computed()) return cast(squeeze(operand.name, {0}), DType::kF32, dtype);
      return scalar(operand.real, dtype);
    case Operand::Kind::kInteger:
    case Operand::Kind::kTruth:
      if (operand.is_computed()) return cast(squeeze(operand.name, {0}), DType::kI64, dtype);
      return scalar(operand.integer, dtype);
    default:
      throw Error(ErrorKind::kInternal, "a tensor or a number is wanted here", "", "");
  }
}

std::string OnnxBuilder::list(const std::vector<Operand>& items) {
  std::vector<std::string> parts;
  std::vector<std::int64_t> plain;
  for (const Operand& item : items) {
    if (!item.is_computed()) {
      plain.push_back(item.integer);
      continue;
    }
    if (!plain.empty()) parts.push_back(integers(plain));
    plain.clear();
    parts.push_back(item.name);
  }
  if (!plain.empty() || parts.empty()) parts.push_back(integers(plain));
  return parts.size() == 1 ? parts.front() : emit("Concat", parts, {{"axis", std::int64_t{0}}});
}

Operand OnnxBuilder::computed(const std::string& operation, const Operand& a, const Operand& b, std::int64_t result) {
  return {.kind = Operand::Kind::kInteger, .integer = result, .name = emit(operation, {list({a}), list({b})})};
}

Operand OnnxBuilder::sum(const Operand& a, const Operand& b) {
  const std::int64_t result = a.integer + b.integer;
  if (!a.is_computed() && !b.is_computed()) return number(result);
  if (!a.is_computed() && a.integer == 0) return b;
  if (!b.is_computed() && b.integer == 0) return a;
  return computed("Add", a, b, result);
}

Operand OnnxBuilder::dimension(const Axis& axis) {
  if (!axis.is_dynamic()) return number(axis.size);
  const auto source = sources_.find(axis.name);
  if (source == sources_.end()) throw Error(ErrorKind::kInternal, "no value has an axis of this size", axis.name, "");
  auto [found, is_new] = dimensions_.try_emplace(axis.name);
  if (is_new) {
    const auto& [value, place] = source->second;
    found->second = emit("Shape", {value}, {{"start", place}, {"end", place + 1}});
  }
  return {.kind = Operand::Kind::kInteger, .integer = axis.size, .name = found->second};
}

std::string OnnxBuilder::shape(const std::vector<Axis>& axes) {
  std::vector<Operand> sizes;
  for (const Axis& axis : axes) sizes.push_back(dimension(axis));
  return list(sizes);
}

std::string OnnxBuilder::reshape(const std::string& value, const std::vector<Axis>& from, const std::vector<Axis>& to,
                                 const std::vector<Operand>& wanted) {
  if (from == to) return value;
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t> left;  // dynamic sizes that are not simply those of the same axis before
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool kept = to[i].is_dynamic() && i < from.size() && from[i].name == to[i].name;
    if (to[i].is_dynamic() && !kept) left.push_back(i);
    sizes.push_back(to[i].is_dynamic() ? 0 : to[i].size);
  }
  if (left.size() == 1) sizes[left.front()] = -1;
  const bool has_zero = std::ranges::any_of(to, [](const Axis& axis) { return !axis.is_dynamic() && axis.size == 0; });
  if (left.size() <= 1 && !has_zero) return emit("Reshape", {value, integers(sizes)});
  std::vector<Operand> items;
  bool inferred = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (knows(to[i])) {
      items.push_back(dimension(to[i]));
    } else if (i < wanted.size() && wanted.size() == to.size() && wanted[i].integer != -1) {
      items.push_back(wanted[i]);
    } else if (!inferred) {
      items.push_back(number(-1));
      inferred = true;
    } else {
      throw Error(ErrorKind::kExport, "a shape has two sizes that no input has", format("axes of {}", value),
                  "reshape in two steps, or with sizes of tensors");
    }
  }
  return emit("Reshape", {value, list(items)},
              has_zero ? OnnxAttributes{{"allowzero", std::int64_t{1}}} : OnnxAttributes{});
}

std::string OnnxBuilder::transpose(const std::string& value, const std::vector<std::int64_t>& order) {
  if (std::ranges::is_sorted(order)) return value;
  std::string result = emit("Transpose", {value}, {{"perm", order}});
  if (order.size() == 2) turned_[result] = value;
  return result;
}

std::string OnnxBuilder::turned_from(const std::string& matrix) const {
  const auto found = turned_.find(matrix);
  return found == turned_.end() ? "" : found->second;
}

std::string OnnxBuilder::turned_weight(const std::string& weight) {
  const auto constant_found = constants_.find(weight);
  if (constant_found == constants_.end()) return "";
  auto [found, is_new] = shared_.try_emplace("transposed " + weight);
  if (is_new) found->second = constant(torch::Tensor(constant_found->second).t(), weight + ".transposed");
  return found->second;
}

std::string OnnxBuilder::unsqueeze(const std::string& value, const std::vector<std::int64_t>& axes) {
  return axes.empty() ? value : emit("Unsqueeze", {value, integers(axes)});
}

std::string OnnxBuilder::squeeze(const std::string& value, const std::vector<std::int64_t>& axes) {
  return axes.empty() ? value : emit("Squeeze", {value, integers(axes)});
}

std::string OnnxBuilder::slice(const std::string& value, std::int64_t axis, const Operand& start, const Operand& end,
                               std::int64_t step) {
  return emit("Slice", {value, list({start}), list({end}), integers({axis}), integers({step})});
}

void OnnxBuilder::note(const std::string& value, DType dtype, const std::vector<Axis>& axes) {
  graph_.values.try_emplace(value, OnnxValue{.dtype = dtype, .axes = axes});
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].is_dynamic()) sources_.try_emplace(axes[axis].name, value, axis);
}

OnnxGraph OnnxBuilder::finish(const std::vector<std::string>& outputs) {
  std::map<std::string, std::string> renamed;
  std::set<std::string> made;
  for (const OnnxNode& node : graph_.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  path_.clear();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = graph_.signature.outputs[i].name;
    // What is an input, a constant or an output already keeps its name.
    if (!made.contains(outputs[i]) || !renamed.try_emplace(outputs[i], name).second)
      graph_.nodes.push_back(
          {.operation = "Identity", .inputs = {outputs[i]}, .outputs = {name}, .name = fresh("Identity")});
  }
  for (OnnxNode& node : graph_.nodes) {
    for (auto* names : {&node.inputs, &node.outputs}) {
      for (std::string& name : *names)
        if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
    }
  }
  drop_unused();
  for (const auto& [before, after] : renamed) graph_.values.erase(before);
  return std::move(graph_);
}

void OnnxBuilder::drop_unused() {
  std::set<std::string> taken;
  for (const TensorSpec& output : graph_.signature.outputs) taken.insert(output.name);
  std::vector<OnnxNode> kept;
  for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
    if (std::ranges::none_of(node->outputs, [&](const std::string& name) { return taken.contains(name); })) {
      for (const std::string& name : node->outputs) graph_.values.erase(name);
      continue;
    }
    taken.insert(node->inputs.begin(), node->inputs.end());
    kept.push_back(std::move(*node));
  }
  std::ranges::reverse(kept);
  graph_.nodes = std::move(kept);
  std::erase_if(graph_.initializers, [&](const OnnxTensor& tensor) { return !taken.contains(tensor.view.name); });
}

}  // namespace base
