#include "base/torch.h"

#include "base/export/trace_mutation.h"

#include <torch/csrc/jit/ir/ir.h>

#include <set>
#include <string>
#include <unordered_map>

namespace base {
namespace {

using torch::jit::Node;
using torch::jit::Value;

/// What it gives may be the memory of what it takes first.
bool is_view(const Node& node) {
  static const std::set<std::string> kViews = {
      "aten::view",         "aten::reshape",          "aten::flatten",      "aten::unflatten",
      "aten::view_as",      "aten::reshape_as",       "aten::select",       "aten::slice",
      "aten::narrow",       "aten::transpose",        "aten::permute",      "aten::t",
      "aten::swapaxes",     "aten::movedim",          "aten::squeeze",      "aten::unsqueeze",
      "aten::expand",       "aten::expand_as",        "aten::split",        "aten::chunk",
      "aten::unbind",       "aten::detach",           "aten::alias",        "aten::contiguous",
      "aten::to",           "aten::diagonal",         "aten::unfold",       "aten::numpy_T",
      "aten::mT",           "aten::split_with_sizes", "aten::swapdims",     "aten::moveaxis",
      "aten::view_as_real", "aten::tensor_split",     "aten::ravel",        "aten::type_as",
      "aten::_unsafe_view", "prim::ListUnpack",       "aten::broadcast_to", "aten::dropout"};
  return kViews.contains(node.kind().toQualString());
}

}  // namespace

bool writes_in_place(const Node& node) {
  const std::string name = node.kind().toUnqualString();
  return node.kind().is_aten() && name.ends_with("_") && !name.ends_with("__");
}

std::vector<const Node*> shared_writes(const torch::jit::Graph& graph) {
  std::unordered_map<const Value*, std::size_t> memory;  // values with the same number share it
  std::unordered_map<std::size_t, std::vector<const Value*>> sharers;
  std::unordered_map<const Node*, std::size_t> places;
  const auto add = [&](const Value* value, std::size_t number) {
    memory[value] = number;
    sharers[number].push_back(value);
  };
  std::size_t count = 0;
  for (const Value* input : graph.inputs()) add(input, count++);
  for (const Node* node : graph.nodes()) {
    const bool shares = (is_view(*node) || writes_in_place(*node)) && !node->inputs().empty();
    for (const Value* output : node->outputs()) add(output, shares ? memory.at(node->inputs()[0]) : count++);
    places[node] = places.size();
  }
  places[graph.return_node()] = places.size();

  std::vector<const Node*> found;
  for (const Node* node : graph.nodes()) {
    if (!writes_in_place(*node)) continue;
    bool seen_later = false;
    for (const Value* value : sharers[memory.at(node->inputs()[0])]) {
      const auto made = places.find(value->node());
      if (made != places.end() && made->second >= places.at(node)) continue;  // what it gives, and what comes after it
      for (const auto& use : value->uses()) {
        const auto place = places.find(use.user);
        const bool only_asks = use.user->kind() == torch::jit::aten::size;
        seen_later |= !only_asks && place != places.end() && place->second > places.at(node);
      }
    }
    if (seen_later) found.push_back(node);
  }
  return found;
}

}  // namespace base
