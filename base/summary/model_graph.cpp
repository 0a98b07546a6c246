#include "base/torch.h"

#include "base/summary/model_graph.h"

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "base/log/format.h"
#include "base/log/log.h"
#include "base/model/mode_scope.h"
#include "base/tensor/device.h"

namespace base {
namespace {

using torch::jit::Node;
using torch::jit::Value;

std::string with_slashes(std::string name) {
  std::ranges::replace(name, '.', '/');
  return name;
}

/// From the nodes of a trace to boxes.
class GraphWriter {
 public:
  explicit GraphWriter(Model& model) {
    for (const auto& item : model.named_parameters()) names_[item.value().unsafeGetTensorImpl()] = item.key();
    for (const auto& item : model.named_buffers()) names_[item.value().unsafeGetTensorImpl()] = item.key();
  }

  void add_input(const Value* value, const std::string& name) {
    add(value, {.name = "inputs/" + name, .operation = "input"});
  }

  void add(const Node* node) {
    if (node->kind() == torch::jit::prim::Constant) return add_constant(node);
    std::vector<std::string> inputs;
    std::string scope;
    for (const Value* input : node->inputs()) {
      for (const std::string& source : sources_of(input)) {
        const auto parameter = scopes_.find(source);
        if (parameter != scopes_.end() && scope.empty()) scope = parameter->second;
        inputs.push_back(source);
      }
    }
    if (node->kind() == torch::jit::prim::ListConstruct || node->kind() == torch::jit::prim::TupleConstruct) {
      lists_[node->output()] = inputs;  // no box of its own: what is in it goes straight to whoever takes it
      return;
    }
    const std::string kind = node->kind().toUnqualString();
    const std::string name = unique(scope.empty() ? kind : scope + "/" + kind);
    for (const Value* output : node->outputs())
      add(output, {.name = name, .operation = node->kind().toQualString(), .inputs = inputs});
  }

  void add_output(const Value* value, const std::string& name) {
    nodes_.push_back({.name = "outputs/" + name, .operation = "output", .inputs = sources_of(value)});
  }

  std::vector<GraphNode> take() { return std::move(nodes_); }

 private:
  void add_constant(const Node* node) {
    if (!node->hasAttribute(torch::jit::attr::value) ||
        node->kindOf(torch::jit::attr::value) != torch::jit::AttributeKind::t)
      return;  // a number
    const torch::Tensor tensor = node->t(torch::jit::attr::value);
    const auto found = names_.find(tensor.unsafeGetTensorImpl());
    if (found == names_.end()) return;
    const std::string name = with_slashes(found->second);
    const auto slash = name.rfind('/');
    if (!scopes_.contains(name)) {
      scopes_[name] = slash == std::string::npos ? "" : name.substr(0, slash);
      nodes_.push_back({.name = name, .operation = "parameter", .shape = tensor.sizes().vec()});
    }
    sources_[node->output()] = name;
  }

  void add(const Value* value, GraphNode node) {
    if (const auto type = value->type()->cast<c10::TensorType>()) {
      if (const auto sizes = type->sizes().concrete_sizes()) node.shape = *sizes;
    }
    sources_[value] = node.name;
    if (used_.insert(node.name).second) nodes_.push_back(std::move(node));
  }

  std::vector<std::string> sources_of(const Value* value) const {
    if (const auto list = lists_.find(value); list != lists_.end()) return list->second;
    const auto source = sources_.find(value);
    return source != sources_.end() ? std::vector{source->second} : std::vector<std::string>{};
  }

  std::string unique(const std::string& name) {
    const int count = counts_[name]++;
    return count == 0 ? name : format("{}_{}", name, count);
  }

  std::unordered_map<const c10::TensorImpl*, std::string> names_;  // of parameters and buffers
  std::map<std::string, std::string> scopes_;                      // of their boxes: the layers
  std::unordered_map<const Value*, std::string> sources_;          // the box that a value comes out of
  std::unordered_map<const Value*, std::vector<std::string>> lists_;
  std::map<std::string, int> counts_;
  std::set<std::string> used_;
  std::vector<GraphNode> nodes_;
};

/// A trace takes what it finds in a network as constants, which may not want gradients.
class WithoutGradients {
 public:
  explicit WithoutGradients(const std::vector<torch::Tensor>& parameters) {
    for (const torch::Tensor& parameter : parameters) {
      if (parameter.requires_grad()) changed_.push_back(parameter.requires_grad_(false));
    }
  }
  ~WithoutGradients() {
    for (const torch::Tensor& parameter : changed_) parameter.requires_grad_(true);
  }
  WithoutGradients(const WithoutGradients&) = delete;
  WithoutGradients& operator=(const WithoutGradients&) = delete;

 private:
  std::vector<torch::Tensor> changed_;
};

}  // namespace

std::vector<GraphNode> graph_of(Model& model) {
  const torch::NoGradGuard no_grad;
  const ModeScope mode(model, Model::Mode::kInfer);
  const auto parameters = model.parameters();
  const torch::Device device = parameters.empty() ? torch::Device(torch::kCPU) : parameters.front().device();
  const WithoutGradients constants(parameters);
  std::vector<GraphNode> nodes;
  try {
    const Tensors inputs = model.example_inputs().to(device);
    torch::jit::Stack stack;
    for (const auto& [name, tensor] : inputs) stack.emplace_back(tensor);
    std::vector<std::string> output_names;
    const auto run = [&](torch::jit::Stack values) {
      Tensors traced;
      std::size_t i = 0;
      for (const auto& [name, tensor] : inputs) traced.set(name, values.at(i++).toTensor());
      torch::jit::Stack outputs;
      for (const auto& [name, tensor] : model.run(traced)) {
        output_names.push_back(name);
        outputs.emplace_back(tensor);
      }
      return outputs;
    };
    const auto [trace, ignored] = torch::jit::tracer::trace(
        std::move(stack), run, [](const torch::Tensor&) { return std::string(); }, /*strict=*/false);
    GraphWriter writer(model);
    std::size_t i = 0;
    for (const auto& [name, tensor] : inputs) writer.add_input(trace->graph->inputs().at(i++), name);
    for (const Node* node : trace->graph->nodes()) writer.add(node);
    for (std::size_t j = 0; j < output_names.size(); ++j)
      writer.add_output(trace->graph->outputs().at(j), output_names[j]);
    nodes = writer.take();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    log::warn("the network cannot be drawn: {}", text.substr(0, text.find('\n')));
  }
  return nodes;
}

}  // namespace base
