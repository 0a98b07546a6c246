#include "base/torch.h"

#include "base/export/trace.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/export/trace_sizes.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/model/mode_scope.h"
#include "base/tensor/tensor_view.h"

namespace base {
namespace {

/// The model as it is served, on the CPU and in the plain layout. Afterwards as it was, with the same memory.
class Served {
 public:
  explicit Served(Model& model) : mode_(model, Model::Mode::kInfer) {
    for (torch::Tensor& tensor : model.parameters()) move(tensor);
    for (torch::Tensor& tensor : model.buffers()) move(tensor);
  }
  ~Served() {
    for (auto& [tensor, data] : moved_) tensor.set_data(data);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

 private:
  void move(torch::Tensor tensor) {
    if (tensor.is_cpu() && tensor.is_contiguous()) return;
    const torch::Tensor data = tensor.tensor_data();
    tensor.set_data(data.to(torch::kCPU).contiguous());
    moved_.emplace_back(std::move(tensor), data);
  }

  ModeScope mode_;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> moved_;
};

/// What is recorded until its end carries this name. (Graph::push_scope would open a method of a submodule.)
class HookScope {
 public:
  explicit HookScope(const std::string& name)
      : graph_(torch::jit::tracer::getTracingState()->graph), before_(graph_->current_scope()) {
    graph_->set_current_scope(before_->push(c10::Symbol::scope(name)));
  }
  ~HookScope() { graph_->set_current_scope(before_); }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;

 private:
  std::shared_ptr<torch::jit::Graph> graph_;
  torch::jit::ScopePtr before_;
};

Tensors run_hooks(Model& model, Tensors inputs) {
  {
    const HookScope scope("preprocess");
    inputs = model.preprocess(std::move(inputs));
  }
  Tensors outputs;
  {
    const HookScope scope("forward");
    outputs = model.forward(inputs);
  }
  const HookScope scope("postprocess");
  return model.postprocess(std::move(outputs));
}

torch::jit::Module mirror(const torch::nn::Module& module, const std::shared_ptr<torch::jit::CompilationUnit>& unit) {
  torch::jit::Module copy(c10::QualifiedName("__torch__.Model"), unit, /*shouldMangle=*/true);
  for (const auto& item : module.named_parameters(/*recurse=*/false))
    copy.register_parameter(item.key(), item.value(), /*is_buffer=*/false);
  for (const auto& item : module.named_buffers(/*recurse=*/false)) copy.register_buffer(item.key(), item.value());
  for (const auto& item : module.named_children()) copy.register_module(item.key(), mirror(*item.value(), unit));
  copy.register_attribute("training", c10::BoolType::get(), false);
  return copy;
}

/// The tensors of the model itself, by which LibTorch knows its parameters, may change their device and layout when the
/// model is given back. What is exported is the memory that they have now.
void hold_weights(torch::jit::Module module) {
  for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
    if (!attribute.value.isTensor()) continue;
    const torch::Tensor tensor = attribute.value.toTensor();
    module.setattr(attribute.name, tensor.detach().requires_grad_(tensor.requires_grad()));
  }
  for (const torch::jit::Module& child : module.children()) hold_weights(child);
}

class Tracer {
 public:
  explicit Tracer(Model& model) : model_(model), served_(model), module_(mirror(model, unit_)) {}

  TraceRun run(const Tensors& inputs) {
    torch::jit::Stack stack;
    std::vector<std::string> names;
    for (const auto& [name, tensor] : inputs) {
      stack.emplace_back(tensor.clone());  // a model may write into its inputs
      names.push_back(name);
    }
    TraceRun result;
    const auto traced = [&](torch::jit::Stack values) -> torch::jit::Stack {
      Tensors given;
      for (std::size_t i = 0; i < names.size(); ++i) given.set(names[i], values.at(i).toTensor());
      std::vector<c10::IValue> outputs;
      result.outputs = run_hooks(model_, std::move(given));
      for (const auto& [name, tensor] : result.outputs) outputs.emplace_back(tensor);
      if (outputs.size() == 1) return {outputs.front()};
      return {c10::ivalue::Tuple::create(std::move(outputs))};
    };
    const SourceRecorder recorder(result.callers);
    result.graph = torch::jit::tracer::trace(
                       std::move(stack), traced, [](const torch::Tensor&) { return std::string(); },
                       /*strict=*/true, /*force_outplace=*/false, &module_, names)
                       .first->graph;
    if (result.outputs.empty()) {
      throw Error(ErrorKind::kExport, "the model has no outputs", "",
                  "let forward() and postprocess() return one tensor or more");
    }
    for (const auto& [name, tensor] : inputs) result.inputs.push_back(tensor.sizes().vec());
    return result;
  }

  torch::jit::Module finish(const std::shared_ptr<torch::jit::Graph>& graph) {
    auto* function = unit_->create_function(c10::QualifiedName(*module_.type()->name(), "forward"), graph);
    module_.type()->addMethod(function);
    hold_weights(module_);
    return module_;
  }

 private:
  const torch::NoGradGuard no_grad_;
  Model& model_;
  Served served_;
  std::shared_ptr<torch::jit::CompilationUnit> unit_ = std::make_shared<torch::jit::CompilationUnit>();
  torch::jit::Module module_;
};

struct NamedAxis {
  std::string name;
  std::vector<std::pair<std::size_t, std::int64_t>> places;  // input, axis
  std::int64_t size = 0;                                     // in the example
};

std::vector<NamedAxis> named_axes(const Model& model, const Tensors& inputs) {
  std::vector<NamedAxis> axes;
  for (const auto& declared : model.dynamic_axes()) {
    const auto input =
        std::ranges::find_if(inputs, [&](const auto& candidate) { return candidate.first == declared.input; });
    const std::int64_t rank = input == inputs.end() ? 0 : input->second.dim();
    const std::int64_t axis = declared.axis < 0 ? declared.axis + rank : declared.axis;
    if (input == inputs.end() || axis < 0 || axis >= rank || declared.name.empty()) {
      throw Error(ErrorKind::kExport, "a dynamic axis does not fit the example inputs",
                  format("'{}': axis {} of '{}', and there is {}", declared.name, declared.axis, declared.input,
                         describe(inputs)),
                  "correct dynamic_axes() of the model");
    }
    const std::int64_t size = input->second.size(axis);
    auto named = std::ranges::find(axes, declared.name, &NamedAxis::name);
    if (named == axes.end()) named = axes.insert(axes.end(), {.name = declared.name, .places = {}, .size = size});
    if (named->size != size || size == 0) {
      throw Error(ErrorKind::kExport, "axes of one name are of one size, which is not 0",
                  format("'{}' is {} and {}", declared.name, named->size, size),
                  "correct example_inputs(), or give the axes names of their own in dynamic_axes()");
    }
    named->places.emplace_back(static_cast<std::size_t>(input - inputs.begin()), axis);
  }
  return axes;
}

using Sizes = std::vector<std::int64_t>;  // of the named axes

/// The example with other sizes along the named axes: as much of it as fits, again and again.
Tensors resized(const Tensors& example, const std::vector<NamedAxis>& axes, const Sizes& sizes) {
  Tensors inputs = example;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (const auto& [input, axis] : axes[i].places) {
      torch::Tensor& tensor = (inputs.begin() + static_cast<std::ptrdiff_t>(input))->second;
      if (tensor.size(axis) == sizes[i]) continue;
      tensor = tensor.index_select(axis, torch::arange(sizes[i]).remainder(tensor.size(axis)));
    }
  }
  return inputs;
}

Sizes first_sizes(const std::vector<NamedAxis>& axes) {
  Sizes first;  // not 1, of which LibTorch makes special cases
  for (const NamedAxis& axis : axes) first.push_back(axis.size == 1 ? 2 : axis.size);
  return first;
}

/// The sizes to run with: the first gives the graph, then each axis changes on its own, then all of them, a little:
/// halves are rounded now up and now down then. A model may take `multiples` of its example's sizes alone. Last the
/// example's own, if they are others.
std::vector<Sizes> sizes_to_run(const std::vector<NamedAxis>& axes, bool multiples) {
  const Sizes first = first_sizes(axes);
  std::vector<Sizes> runs = {first};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    runs.push_back(first);
    runs.back()[i] = multiples ? 2 * first[i] : first[i] + 1;
  }
  if (axes.empty()) return runs;
  runs.push_back(first);
  for (std::size_t i = 0; i < axes.size(); ++i)
    runs.back()[i] = multiples ? 3 * first[i] : first[i] + 3 + 2 * static_cast<std::int64_t>(i);
  Sizes example;
  for (const NamedAxis& axis : axes) example.push_back(axis.size);
  if (example != first) runs.push_back(example);
  return runs;
}

/// Far from the example, for what is the same near it: an eighth of the size, five pools. Before a multiple of the size
/// and after one, so that it shows how a quotient is rounded. One axis at a time: all at once may be more than the
/// memory holds.
std::vector<Sizes> sizes_to_try(const std::vector<NamedAxis>& axes, bool multiples) {
  std::vector<Sizes> runs;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Sizes first = first_sizes(axes);
    const Sizes far = multiples ? Sizes{4 * first[i]} : Sizes{2 * first[i] + 1, 4 * first[i] - 1};
    for (const std::int64_t size : far) {
      runs.push_back(first);
      runs.back()[i] = size;
    }
  }
  return runs;
}

std::vector<TraceRun> run_near(Tracer& tracer, const Tensors& example, const std::vector<NamedAxis>& axes,
                               bool& multiples) {
  for (multiples = false;; multiples = true) {
    std::vector<TraceRun> runs;
    Sizes sizes;
    try {
      for (const auto& next : sizes_to_run(axes, multiples)) {
        sizes = next;
        runs.push_back(tracer.run(resized(example, axes, sizes)));
      }
      return runs;
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      if (!multiples && !runs.empty()) continue;
      std::string at;
      for (std::size_t i = 0; i < axes.size(); ++i)
        at += format("{}{} = {}", at.empty() ? "" : ", ", axes[i].name, sizes[i]);
      throw Error(ErrorKind::kExport, "the model cannot be run" + (at.empty() ? at : " with " + at), first_line(error),
                  runs.empty() ? "correct the model or its example_inputs()"
                               : "let the model take any size there, or leave the axis out of dynamic_axes()");
    }
  }
}

std::vector<TraceRun> run_all(Tracer& tracer, const Tensors& example, const std::vector<NamedAxis>& axes,
                              bool& multiples) {
  std::vector<TraceRun> runs = run_near(tracer, example, axes, multiples);
  for (const Sizes& sizes : sizes_to_try(axes, multiples)) {
    try {
      runs.push_back(tracer.run(resized(example, axes, sizes)));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a model may have a largest size
    }
  }
  return runs;
}

}  // namespace

Trace trace_model(Model& model) {
  Tensors example = model.example_inputs().to(torch::kCPU);
  for (auto& [name, tensor] : example) tensor = tensor.detach().contiguous();
  if (example.empty()) {
    throw Error(ErrorKind::kUsage, "the model has no inputs", "", "let example_inputs() return one tensor or more");
  }
  const std::vector<NamedAxis> axes = named_axes(model, example);
  Tracer tracer(model);
  Trace trace;
  std::vector<TraceRun> runs = run_all(tracer, example, axes, trace.multiples);

  std::size_t place = 0;
  for (const auto& [name, tensor] : example) {
    TensorSpec spec{.name = name, .dtype = view_of(name, tensor).dtype, .axes = {}};
    for (const std::int64_t size : tensor.sizes()) spec.axes.push_back({.size = size});
    for (const NamedAxis& axis : axes)
      for (const auto& [input, position] : axis.places)
        if (input == place) spec.axes.at(static_cast<std::size_t>(position)).name = axis.name;
    trace.signature.inputs.push_back(std::move(spec));
    ++place;
  }
  for (const auto& [name, tensor] : runs.front().outputs) {
    trace.signature.outputs.push_back({.name = name, .dtype = view_of(name, tensor.contiguous()).dtype, .axes = {}});
  }
  trace.callers = std::move(runs.front().callers);
  make_dynamic(runs, trace);
  trace.graph = runs.front().graph;
  trace.module = std::make_shared<torch::jit::Module>(tracer.finish(trace.graph));
  return trace;
}

std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

std::string layer_of(const torch::jit::Node& node) {
  for (const torch::jit::Value* input : node.inputs()) {
    std::string path;
    const torch::jit::Node* from = input->node();
    if (from->kind() == torch::jit::prim::ListConstruct && !from->inputs().empty()) from = from->inputs()[0]->node();
    if (from->kind() != torch::jit::prim::GetAttr) continue;
    for (from = from->inputs()[0]->node(); from->kind() == torch::jit::prim::GetAttr; from = from->inputs()[0]->node())
      path = from->s(torch::jit::attr::name) + (path.empty() ? "" : ".") + path;
    if (!path.empty()) return path;
  }
  return "";
}

std::string place_of(const torch::jit::Node& node, const CallStacks& callers) {
  std::string place = node.scopeName();
  const std::string line = source_of(callers, node);
  const std::string at = line.empty() ? "" : ", " + line;
  if (const std::string layer = layer_of(node); !layer.empty()) return format("{}, '{}'{}", place, layer, at);
  // The layer before it, in the same hook: the nearest that is known of an operator without parameters.
  const torch::jit::Block* block = node.owningBlock();
  for (const torch::jit::Node* before = node.prev(); before != block->return_node() && before != block->param_node();
       before = before->prev()) {
    if (before->scopeName() != place) break;
    if (const std::string layer = layer_of(*before); !layer.empty())
      return format("{}, after '{}'{}", place, layer, at);
  }
  return place + at;
}

}  // namespace base
