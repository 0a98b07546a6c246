#include "base/torch.h"

#include "base/export/onnx_lowering.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>

#include "base/export/onnx_call.h"
#include "base/export/trace_mutation.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

namespace prim = torch::jit::prim;
namespace aten = torch::jit::aten;
namespace attr = torch::jit::attr;
using torch::jit::Node;
using torch::jit::Value;
using Kind = Operand::Kind;

const OnnxTable& onnx_table() {
  static const OnnxTable kTable = [] {
    OnnxTable table;
    add_activations(table);
    add_arithmetic(table);
    add_comparisons(table);
    add_convolutions(table);
    add_indexing(table);
    add_makers(table);
    add_norms(table);
    add_pools(table);
    add_products(table);
    add_recurrent(table);
    add_reductions(table);
    add_resizes(table);
    add_shapes(table);
    return table;
  }();
  return kTable;
}

Operand operand_of(const c10::IValue& value) {
  if (value.isInt()) return number(value.toInt());
  if (value.isBool()) return {.kind = Kind::kTruth, .integer = value.toBool() ? 1 : 0};
  if (value.isDouble()) return {.kind = Kind::kReal, .real = value.toDouble()};
  if (value.isString()) return {.kind = Kind::kText, .text = value.toStringRef()};
  if (value.isList()) {
    Operand list{.kind = Kind::kList};
    for (const c10::IValue& item : value.toListRef()) list.items.push_back(operand_of(item));
    return list;
  }
  return {};
}

/// Goes through the graph once and keeps what each of its values is in ONNX.
class Lowering {
 public:
  explicit Lowering(const Trace& trace) : trace_(trace), build_(trace.signature) {
    for (const Node* node : shared_writes(*trace.graph)) shared_writes_.push_back(node);
  }

  OnnxGraph run() {
    const auto inputs = trace_.graph->inputs();
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      const TensorSpec& spec = trace_.signature.inputs[i - 1];
      operands_[inputs[i]] = {.kind = Kind::kTensor, .name = spec.name, .dtype = spec.dtype, .axes = spec.axes};
    }
    for (const Node* node : trace_.graph->nodes()) visit(*node);
    if (!problems_.empty()) fail();
    std::vector<std::string> outputs;
    for (const Value* output : trace_.graph->outputs()) {
      const Operand& operand = operands_.at(output);
      if (operand.is_tensor()) outputs.push_back(operand.name);
      for (const Operand& item : operand.items) outputs.push_back(item.name);
    }
    return build_.finish(outputs);
  }

 private:
  void visit(const Node& node) {
    set_path(node);
    try {
      if (node.kind() == prim::Constant) return visit_constant(node);
      if (node.kind() == prim::GetAttr) return visit_attribute(node);
      if (node.kind() == prim::ListConstruct || node.kind() == prim::TupleConstruct) return visit_list(node);
      if (node.kind() == prim::ListUnpack || node.kind() == prim::TupleUnpack) return visit_unpack(node);
      if (node.kind() == aten::size) return visit_size(node);
      if (node.kind() == prim::NumToTensor || node.kind() == aten::Int || node.kind() == aten::Float)
        return visit_conversion(node);
      if (!node.outputs().empty() && !node.output(0)->type()->isSubtypeOf(c10::TensorType::get()) &&
          node.output(0)->type()->isSubtypeOf(c10::NumberType::get())) {
        return visit_number(node);
      }
      visit_call(node);
    } catch (const NotLowered& reason) {
      add_problem(node, reason.why);
    } catch (const Error& error) {  // the builder's: it does not know for which operator it builds
      add_problem(node, error.problem());
    } catch (const std::exception& error) {  // arguments of a kind that the operator's rule does not expect
      add_problem(node, format("its arguments cannot be exported ({})", first_line(error)));
    }
  }

  void set_path(const Node& node) {
    std::string path = layer_of(node);
    std::ranges::replace(path, '.', '/');
    const std::string hook = node.scopeName();
    if (path.empty() && hook != "forward") path = hook;
    build_.set_path(path);
  }

  void visit_constant(const Node& node) {
    Operand& operand = operands_[node.output()];
    const auto value = torch::jit::toIValue(node.output());
    if (!value) throw NotLowered{"a constant of an unknown kind"};
    if (value->isTensor() && value->toTensor().defined()) {
      operand = of_constant(value->toTensor(), "");
    } else {
      operand = operand_of(*value);
    }
  }

  Operand of_constant(const torch::Tensor& tensor, const std::string& name) {
    Operand operand{.kind = Kind::kTensor, .dtype = to_dtype(tensor.scalar_type()), .constant = tensor};
    operand.name = build_.constant(tensor, name);
    for (const std::int64_t size : tensor.sizes()) operand.axes.push_back({.size = size});
    return operand;
  }

  void visit_attribute(const Node& node) {
    const std::string& name = node.s(attr::name);
    const auto owner = modules_.find(node.input());
    const torch::jit::Module module = owner == modules_.end() ? *trace_.module : owner->second.second;
    const std::string path = owner == modules_.end() ? name : owner->second.first + "." + name;
    const c10::IValue value = module.attr(name);
    if (value.isModule()) {
      modules_.insert_or_assign(node.output(), std::pair(path, value.toModule()));
    } else {
      auto [found, is_new] = parameters_.try_emplace(path);
      if (is_new) found->second = of_constant(value.toTensor(), path);
      operands_[node.output()] = found->second;
    }
  }

  void visit_list(const Node& node) {
    Operand list{.kind = Kind::kList};
    for (const Value* input : node.inputs()) list.items.push_back(operands_.at(input));
    operands_[node.output()] = std::move(list);
  }

  void visit_unpack(const Node& node) {
    const Operand& list = operands_.at(node.input());
    for (std::size_t i = 0; i < node.outputs().size(); ++i) operands_[node.outputs()[i]] = list.items.at(i);
  }

  void visit_size(const Node& node) {
    const Operand& tensor = operands_.at(node.inputs()[0]);
    const auto axis_of = [&](std::int64_t axis) { return axis < 0 ? axis + tensor.rank() : axis; };
    if (node.inputs().size() == 2) {
      const Axis& axis = tensor.axes.at(static_cast<std::size_t>(axis_of(operands_.at(node.inputs()[1]).integer)));
      operands_[node.output()] = build_.dimension(axis);
      return;
    }
    Operand list{.kind = Kind::kList};
    for (const Axis& axis : tensor.axes) list.items.push_back(build_.dimension(axis));
    operands_[node.output()] = std::move(list);
  }

  void visit_conversion(const Node& node) {
    const Operand& from = operands_.at(node.input());
    Operand& to = operands_[node.output()];
    to = from;
    if (node.kind() == prim::NumToTensor) {
      const DType dtype = from.kind == Kind::kReal ? DType::kF32 : DType::kI64;
      to = {.kind = Kind::kTensor, .name = build_.as(from, dtype), .dtype = dtype};
    } else if (node.kind() == aten::Float && from.kind == Kind::kInteger) {
      to = {.kind = Kind::kReal, .real = static_cast<double>(from.integer)};
      if (from.is_computed()) to.name = build_.cast(from.name, DType::kI64, DType::kF32);
    } else if (from.is_tensor()) {
      throw NotLowered{"a number that depends on the inputs' values cannot be exported"};
    }
  }

  /// Arithmetic with sizes, as trace_sizes puts it there.
  void visit_number(const Node& node) {
    std::vector<Operand> inputs;
    for (const Value* input : node.inputs()) inputs.push_back(operands_.at(input));
    const std::string name = node.kind().toUnqualString();
    Operand& result = operands_[node.output()];
    if (name == "sqrt") {
      result = {.kind = Kind::kReal, .real = std::sqrt(inputs.at(0).real)};
      if (inputs[0].is_computed()) result.name = build_.emit("Sqrt", {inputs[0].name});
    } else if (name == "div" && inputs.at(0).kind == Kind::kReal) {
      result = {.kind = Kind::kReal, .real = inputs[0].real / inputs.at(1).real};
      if (inputs[1].is_computed())
        result.name = build_.emit("Div", {build_.as(inputs[0], DType::kF32), inputs[1].name});
    } else {
      const std::int64_t a = inputs.at(0).integer;
      const std::int64_t b = inputs.at(1).integer;
      const bool computed = inputs[0].is_computed() || inputs[1].is_computed();
      const auto give = [&](const char* operation, std::int64_t value) {
        result = computed ? build_.computed(operation, inputs[0], inputs[1], value) : number(value);
      };
      if (name == "add")
        give("Add", a + b);
      else if (name == "sub")
        give("Sub", a - b);
      else if (name == "mul")
        give("Mul", a * b);
      else if (name == "floordiv" && b > 0)
        give("Div", a / b);
      else
        throw NotLowered{"arithmetic with sizes of this kind cannot be exported"};
    }
  }

  /// The tensors that a node gives: of a list, those that it is unpacked into.
  std::vector<const Value*> given_by(const Node& node) const {
    std::vector<const Value*> values;
    for (const Value* output : node.outputs()) {
      if (output->type()->kind() != c10::TypeKind::ListType) {
        values.push_back(output);
        continue;
      }
      for (const auto& use : output->uses())
        if (use.user->kind() == prim::ListUnpack)
          for (const Value* part : use.user->outputs()) values.push_back(part);
    }
    return values;
  }

  Operand expected(const Value* value) const {
    Operand operand{.kind = Kind::kTensor};
    const auto axes = trace_.axes.find(value);
    if (axes != trace_.axes.end()) operand.axes = axes->second;
    const auto type = value->type()->cast<c10::TensorType>();
    if (type && type->scalarType() && !c10::isComplexType(*type->scalarType()))  // which ONNX's operators do not take
      operand.dtype = to_dtype(*type->scalarType());
    return operand;
  }

  void visit_call(const Node& node) {
    const std::vector<const Value*> values = given_by(node);
    std::vector<Operand> outputs;
    for (const Value* value : values) outputs.push_back(expected(value));
    for (std::size_t i = 0; i < values.size(); ++i)
      operands_[values[i]] = outputs[i];  // whatever comes: the walk goes on

    std::string name = node.kind().toUnqualString();
    const torch::jit::FunctionSchema* schema = node.maybeSchema();
    if (writes_in_place(node)) name.pop_back();
    const auto lower = onnx_table().find(name);
    if (!node.kind().is_aten() || schema == nullptr || lower == onnx_table().end()) {
      return add_problem(node, "ONNX has no counterpart that is known here");
    }
    if (std::ranges::find(shared_writes_, &node) != shared_writes_.end()) {
      return add_problem(node, "it writes into a tensor that is used under another name later; make a new one");
    }
    std::vector<std::pair<std::string, Operand>> arguments;
    for (std::size_t i = 0; i < node.inputs().size(); ++i)
      arguments.emplace_back(schema->arguments().at(i).name(), operands_.at(node.inputs()[i]));
    OnnxCall call(build_, name, std::move(arguments), std::move(outputs));
    lower->second(call);
    give(node, call, values);
  }

  void give(const Node& node, const OnnxCall& call, const std::vector<const Value*>& values) {
    Operand list{.kind = Kind::kList};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Operand& output = call.output(i);
      if (output.name.empty() && !values[i]->uses().empty())
        return add_problem(node, format("its output {} cannot be exported", i + 1));
      operands_[values[i]] = output;
      if (!output.name.empty()) build_.note(output.name, output.dtype, output.axes);
      list.items.push_back(output);
    }
    if (node.outputs().size() == 1 && node.output()->type()->kind() == c10::TypeKind::ListType)
      operands_[node.output()] = std::move(list);
  }

  void add_problem(const Node& node, const std::string& why) {
    const std::string problem = format("{} ({}): {}", node.kind().toQualString(), place_of(node, trace_.callers), why);
    if (std::ranges::find(problems_, problem) == problems_.end()) problems_.push_back(problem);
    for (const Value* value : given_by(node)) operands_[value] = expected(value);
    for (const Value* output : node.outputs()) {
      Operand& operand = operands_[output];
      if (output->type()->kind() != c10::TypeKind::ListType) continue;
      operand = {.kind = Kind::kList};
      for (const Value* value : given_by(node)) operand.items.push_back(operands_[value]);
    }
  }

  [[noreturn]] void fail() const {
    std::string all;
    for (const std::string& problem : problems_) all += "\n    " + problem;
    throw Error(ErrorKind::kExport, "the model has operators that cannot be exported to ONNX", all,
                "write them with others");
  }

  const Trace& trace_;
  OnnxBuilder build_;
  std::unordered_map<const Value*, Operand> operands_;
  std::unordered_map<const Value*, std::pair<std::string, torch::jit::Module>> modules_;
  std::map<std::string, Operand> parameters_;
  std::vector<const Node*> shared_writes_;
  std::vector<std::string> problems_;
};

}  // namespace

OnnxGraph lower_to_onnx(const Trace& trace) {
  return Lowering(trace).run();
}

}  // namespace base
