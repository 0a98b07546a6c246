#include "base/torch.h"

#include "base/train/work.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "base/summary/model_graph.h"
#include "base/tensor/device.h"

namespace base {
namespace {

constexpr double kMuch = std::numeric_limits<double>::infinity();

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

double elements(const GraphNode& node) {
  return std::accumulate(node.shape.begin(), node.shape.end(), 1.0, std::multiplies<>());
}

/// What is known of the graph so far. Weights, and what is made of them alone, do not grow with the batch.
struct Known {
  std::map<std::string, const GraphNode*> nodes;
  std::set<std::string> weights;
};

double work_of(const GraphNode& node, const Known& known) {
  double most = elements(node);
  std::vector<const GraphNode*> inputs;
  for (const std::string& name : node.inputs) {
    inputs.push_back(known.nodes.at(name));
    if (!known.weights.contains(name)) most = std::max(most, elements(*inputs.back()));
  }
  const auto product = [&](std::size_t left) {
    const bool is_known = inputs.size() > left && !inputs[left]->shape.empty();
    return is_known ? elements(node) * static_cast<double>(inputs[left]->shape.back()) : kMuch;
  };
  const std::string_view name = node.operation;
  if (is_one_of(name, {"aten::linear", "aten::matmul", "aten::mm", "aten::bmm"})) return product(0);
  if (is_one_of(name, {"aten::addmm", "aten::baddbmm"})) return product(1);
  if (name == "aten::_convolution" && inputs.size() > 1 && !inputs[1]->shape.empty())
    return most * elements(*inputs[1]) / static_cast<double>(inputs[1]->shape.front());
  // What is inside of these does not show in the sizes of what goes in and comes out.
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("lstm") || has("gru") || has("rnn") || has("attention") || has("einsum") || has("conv") || has("mm"))
    return kMuch;
  return most;
}

}  // namespace

double work_per_example(Model& model) {
  const KeepRandomState keep(torch::kCPU);
  const std::vector<GraphNode> graph = graph_of(model);
  if (graph.empty()) return kMuch;
  double work = 0;
  double examples = 1;
  Known known;
  for (const GraphNode& node : graph) {
    known.nodes[node.name] = &node;
    const auto is_weight = [&](const std::string& name) { return known.weights.contains(name); };
    if (node.operation == "input" && !node.shape.empty()) examples = static_cast<double>(node.shape.front());
    if (node.operation == "input" || node.operation == "output") continue;
    if (node.operation == "parameter" || (!node.inputs.empty() && std::ranges::all_of(node.inputs, is_weight))) {
      known.weights.insert(node.name);
    } else {
      work += work_of(node, known);
    }
  }
  return work / examples;
}

bool is_small_step(double work_per_example, std::int64_t examples) {
  // Measured with small networks of every shape: from here on two threads are no slower than one.
  constexpr double kSmall = 4e6;
  return work_per_example * static_cast<double>(examples) <= kSmall;
}

}  // namespace base
