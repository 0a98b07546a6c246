#include "base/torch.h"

#include "base/export/trace_sizes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/export/size_expression.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

namespace prim = torch::jit::prim;
namespace aten = torch::jit::aten;
namespace attr = torch::jit::attr;
using torch::jit::AttributeKind;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;

std::vector<Node*> nodes_of(Graph& graph) {
  std::vector<Node*> nodes;
  for (Node* node : graph.nodes()) nodes.push_back(node);
  return nodes;
}

std::optional<std::vector<std::int64_t>> shape_of(const Value* value) {
  const auto type = value->type()->cast<c10::TensorType>();
  return type ? type->sizes().concrete_sizes() : std::nullopt;
}

/// What the constant holds, as far as graphs are compared: the kinds of attributes that LibTorch records.
bool same_constant(const Node& a, const Node& b) {
  const bool valued = a.hasAttribute(attr::value);
  if (valued != b.hasAttribute(attr::value)) return false;
  if (!valued) return true;
  if (a.kindOf(attr::value) != b.kindOf(attr::value)) return false;
  switch (a.kindOf(attr::value)) {
    case AttributeKind::i:
      return a.i(attr::value) == b.i(attr::value);
    case AttributeKind::f:
      return a.f(attr::value) == b.f(attr::value) || (std::isnan(a.f(attr::value)) && std::isnan(b.f(attr::value)));
    case AttributeKind::s:
      return a.s(attr::value) == b.s(attr::value);
    case AttributeKind::t: {
      const torch::Tensor& x = a.t(attr::value);
      const torch::Tensor& y = b.t(attr::value);
      return x.is_same(y) || (x.scalar_type() == y.scalar_type() && x.sizes() == y.sizes() && torch::equal(x, y));
    }
    default:
      return true;
  }
}

std::string words_for(const Node& node) {
  if (node.kind() != prim::Constant) return node.kind().toQualString();
  if (node.hasAttribute(attr::value) && node.kindOf(attr::value) == AttributeKind::t) {
    return "a tensor made without operators, " + describe(node.t(attr::value));
  }
  return "a constant";
}

/// A constant that differs, and how many sizes are known before it.
struct Varying {
  std::size_t node;
  std::size_t sizes;
};

class SizeFinder {
 public:
  SizeFinder(std::vector<TraceRun>& runs, Trace& trace) : runs_(runs), trace_(trace), graph_(*runs.front().graph) {
    for (const TraceRun& run : runs) nodes_.push_back(nodes_of(*run.graph));
  }

  void find() {
    name_inputs();
    align();
    for (const Varying& constant : varying_) replace(constant);
    name_outputs();
    std::size_t count = 0;
    for (const auto& [value, twins] : values_) {
      if (std::ranges::all_of(twins, [](const Value* twin) { return shape_of(twin).has_value(); }))
        trace_.axes[value] = axes_of(twins, format("size_{}", count++));
    }
  }

 private:
  void name_inputs() {
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      std::vector<Value*> values;
      for (const TraceRun& run : runs_) values.push_back(run.graph->inputs()[i]);
      if (i > 0) {  // the first is the module itself
        const TensorSpec& spec = trace_.signature.inputs[i - 1];
        for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
          Numbers sizes;
          for (const TraceRun& run : runs_) sizes.push_back(run.inputs[i - 1][axis]);
          if (spec.axes[axis].is_dynamic()) names_.emplace(sizes, spec.axes[axis].name);
        }
      }
      add(values);
    }
  }

  void align() {
    const std::size_t count = nodes_[0].size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t run = 1; run < runs_.size(); ++run)
        if (i >= nodes_[run].size() || !aligned(i, run)) fail(i);
      const Node* node = nodes_[0][i];
      if (node->kind() == prim::Constant && !is_same_in_all(i)) varying_.push_back({i, sizes_.size()});
      for (std::size_t output = 0; output < node->outputs().size(); ++output) {
        std::vector<Value*> values;
        for (const auto& nodes : nodes_) values.push_back(nodes[i]->outputs()[output]);
        add(values);
      }
    }
    for (std::size_t run = 1; run < runs_.size(); ++run)
      if (nodes_[run].size() != count) fail(count - 1);
  }

  /// Whether node i takes the same in the first run and in this one.
  bool aligned(std::size_t i, std::size_t run) {
    const Node* node = nodes_[0][i];
    const Node* other = nodes_[run][i];
    if (node->kind() != other->kind() || node->outputs().size() != other->outputs().size()) return false;
    if (node->inputs().size() != other->inputs().size()) return false;
    for (std::size_t input = 0; input < node->inputs().size(); ++input)
      if (twins_.at(node->inputs()[input])[run] != other->inputs()[input]) return false;
    for (std::size_t output = 0; output < node->outputs().size(); ++output) {
      const auto a = shape_of(node->outputs()[output]);
      const auto b = shape_of(other->outputs()[output]);
      if (a.has_value() != b.has_value() || (a && a->size() != b->size())) return false;
    }
    if (node->kind() == prim::GetAttr) return node->s(attr::name) == other->s(attr::name);
    return true;
  }

  bool is_same_in_all(std::size_t i) const {
    for (std::size_t run = 1; run < runs_.size(); ++run)
      if (!same_constant(*nodes_[0][i], *nodes_[run][i])) return false;
    return true;
  }

  void add(const std::vector<Value*>& values) {
    twins_[values[0]] = values;
    values_.emplace_back(values[0], values);
    std::vector<std::vector<std::int64_t>> shapes;
    for (const Value* value : values) {
      const auto shape = shape_of(value);
      if (!shape) return;
      shapes.push_back(*shape);
    }
    for (std::size_t axis = 0; axis < shapes[0].size(); ++axis) {
      Numbers sizes;
      for (const auto& shape : shapes) sizes.push_back(shape.at(axis));
      if (!varies(sizes) || !known_.emplace(sizes, sizes_.size()).second) continue;
      sizes_.push_back(sizes);
      places_.emplace_back(values[0], static_cast<std::int64_t>(axis));
    }
  }

  static bool varies(const Numbers& numbers) {
    for (const std::int64_t number : numbers)
      if (number != numbers[0]) return true;
    return false;
  }

  void replace(const Varying& constant) {
    const std::size_t i = constant.node;
    known_sizes_ = std::span(sizes_).first(constant.sizes);
    Node* node = nodes_[0][i];
    const bool is_number =
        node->hasAttribute(attr::value) && !node->output()->type()->isSubtypeOf(c10::BoolType::get());
    const torch::jit::WithInsertPoint here(node);
    Value* computed = nullptr;
    if (is_number && node->kindOf(attr::value) == AttributeKind::i) {
      Numbers wanted;
      for (const auto& nodes : nodes_) wanted.push_back(nodes[i]->i(attr::value));
      computed = integer(wanted);
    } else if (is_number && node->kindOf(attr::value) == AttributeKind::f) {
      computed = real(i);
    }
    if (computed == nullptr) fail(i);
    computed->node()->setScope(node->scope());
    node->output()->replaceAllUsesWith(computed);
  }

  /// Inserts what computes the number; null if nothing does.
  Value* integer(const Numbers& wanted) {
    const auto found = find_expression(wanted, known_sizes_);
    if (!found) return nullptr;
    Value* value = size(found->first);
    if (found->second) value = graph_.insert(aten::mul, {value, size(*found->second)});
    if (found->factor != 1) value = graph_.insert(aten::mul, {value, found->factor});
    if (found->before != 0) value = graph_.insert(aten::add, {value, found->before});
    if (found->divisor != 1) value = graph_.insert(aten::floordiv, {value, found->divisor});
    if (found->offset != 0) value = graph_.insert(aten::add, {value, found->offset});
    return value;
  }

  /// A size, its reciprocal, its root or the reciprocal of that, as a floating-point number.
  Value* real(std::size_t i) {
    const auto numbers = [&](auto function) -> std::optional<Numbers> {
      Numbers result;
      for (const auto& nodes : nodes_) {
        const double number = function(nodes[i]->f(attr::value));
        const double rounded = std::round(number);
        if (!(std::abs(rounded) < 1e15) || std::abs(number - rounded) > 1e-9 * std::abs(rounded)) return std::nullopt;
        result.push_back(static_cast<std::int64_t>(rounded));
      }
      return result;
    };
    const auto as_float = [&](Value* value) { return graph_.insert(aten::Float, {value}); };
    if (const auto plain = numbers([](double x) { return x; }))
      if (Value* value = integer(*plain)) return as_float(value);
    if (const auto inverse = numbers([](double x) { return 1 / x; }))
      if (Value* value = integer(*inverse)) return graph_.insert(aten::div, {1.0, as_float(value)});
    if (const auto square = numbers([](double x) { return x * x; }))
      if (Value* value = integer(*square)) return graph_.insert(aten::sqrt, {as_float(value)});
    if (const auto both = numbers([](double x) { return 1 / (x * x); })) {
      if (Value* value = integer(*both))
        return graph_.insert(aten::div, {1.0, graph_.insert(aten::sqrt, {as_float(value)})});
    }
    return nullptr;
  }

  /// Of a tensor, asked for where it is made: the first to need it inserts it, and all after it come later.
  Value* size(std::size_t which) {
    auto [found, is_new] = inserted_.emplace(which, nullptr);
    if (is_new) found->second = graph_.insert(aten::size, {places_[which].first, places_[which].second});
    return found->second;
  }

  std::vector<Axis> axes_of(const std::vector<Value*>& values, const std::string& name) {
    std::vector<Axis> axes;
    const std::size_t rank = shape_of(values[0])->size();
    for (std::size_t axis = 0; axis < rank; ++axis) {
      Numbers sizes;
      for (const Value* value : values) sizes.push_back(shape_of(value)->at(axis));
      axes.push_back({.size = sizes[0]});
      if (varies(sizes)) axes.back().name = names_.emplace(sizes, format("{}_{}", name, axis)).first->second;
    }
    return axes;
  }

  void name_outputs() {
    const std::size_t example = example_run();
    std::size_t i = 0;
    for (TensorSpec& spec : trace_.signature.outputs) {
      std::vector<torch::Tensor> outputs;
      for (const TraceRun& run : runs_)
        outputs.push_back((run.outputs.begin() + static_cast<std::ptrdiff_t>(i))->second);
      for (std::int64_t axis = 0; axis < outputs[0].dim(); ++axis) {
        Numbers sizes;
        for (const torch::Tensor& output : outputs) sizes.push_back(output.size(axis));
        spec.axes.push_back({.size = sizes[example]});
        if (varies(sizes))
          spec.axes.back().name = names_.emplace(sizes, format("{}_{}", spec.name, axis)).first->second;
      }
      ++i;
    }
  }

  /// The run with the sizes of the example.
  std::size_t example_run() const {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      bool same = true;
      for (std::size_t i = 0; i < runs_[run].inputs.size(); ++i)
        for (std::size_t axis = 0; axis < runs_[run].inputs[i].size(); ++axis)
          same &= runs_[run].inputs[i][axis] == trace_.signature.inputs[i].axes[axis].size;
      if (same) return run;
    }
    return 0;
  }

  [[noreturn]] void fail(std::size_t i) {
    std::string axes;
    for (const auto& [sizes, name] : names_) axes += (axes.empty() ? "'" : ", '") + name + "'";
    throw Error(
        ErrorKind::kExport, "what the model computes depends on the size of its inputs (" + axes + ")",
        format("{} in {} differs from size to size", words_for(*nodes_[0][i]), place_of(*nodes_[0][i], trace_.callers)),
        "compute it with operators on tensors, without loops and conditions on sizes, or leave the axis out of "
        "dynamic_axes()");
  }

  std::vector<TraceRun>& runs_;
  Trace& trace_;
  Graph& graph_;                                                      // of the first run
  std::vector<std::vector<Node*>> nodes_;                             // of each run
  std::unordered_map<const Value*, std::vector<Value*>> twins_;       // a value of the first run in each run
  std::vector<std::pair<const Value*, std::vector<Value*>>> values_;  // the same, in order
  std::vector<Varying> varying_;
  std::map<Numbers, std::size_t> known_;
  std::vector<Numbers> sizes_;            // those that differ
  std::span<const Numbers> known_sizes_;  // where the constant is that is being replaced
  std::vector<std::pair<Value*, std::int64_t>> places_;
  std::map<std::size_t, Value*> inserted_;
  std::map<Numbers, std::string> names_;
};

}  // namespace

void make_dynamic(std::vector<TraceRun>& runs, Trace& trace) {
  SizeFinder(runs, trace).find();
}

}  // namespace base
