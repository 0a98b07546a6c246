#include "base/torch.h"

#include "base/export/trace_mutation.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
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
      "aten::view",         "aten::reshape",  "aten::flatten",      "aten::unflatten",    "aten::view_as",
      "aten::reshape_as",   "aten::select",   "aten::slice",        "aten::narrow",       "aten::transpose",
      "aten::permute",      "aten::t",        "aten::swapaxes",     "aten::movedim",      "aten::squeeze",
      "aten::unsqueeze",    "aten::expand",   "aten::expand_as",    "aten::split",        "aten::chunk",
      "aten::unbind",       "aten::detach",   "aten::alias",        "aten::contiguous",   "aten::to",
      "aten::diagonal",     "aten::unfold",   "aten::numpy_T",      "aten::mT",           "aten::split_with_sizes",
      "aten::swapdims",     "aten::moveaxis", "aten::view_as_real", "aten::unsafe_split", "aten::unsafe_chunk",
      "aten::tensor_split", "aten::ravel",    "aten::type_as",      "aten::_unsafe_view", "aten::broadcast_to",
      "aten::dropout"};
  return kViews.contains(node.kind().toQualString());
}

/// Which values are of the same memory, or of parts of it.
class Memory {
 public:
  void add(const Value* value) {
    parents_.emplace_back();
    put(value, parents_.size() - 1);
  }
  void add_view(const Value* value, const Value* of) { put(value, places_.at(of)); }
  void add_part(const Value* value, const Value* of) {
    parents_.emplace_back(places_.at(of));
    put(value, parents_.size() - 1);
  }

  std::vector<const Value*> overlapping(const Value* value) const {
    std::vector<const Value*> found;
    for (const Value* other : values_)
      if (is_within(places_.at(other), places_.at(value)) || is_within(places_.at(value), places_.at(other)))
        found.push_back(other);
    return found;
  }

 private:
  void put(const Value* value, std::size_t place) {
    places_[value] = place;
    values_.push_back(value);
  }
  bool is_within(std::size_t part, std::size_t whole) const {
    for (std::optional<std::size_t> at = part; at; at = parents_[*at])
      if (*at == whole) return true;
    return false;
  }

  std::unordered_map<const Value*, std::size_t> places_;
  std::vector<const Value*> values_;
  std::vector<std::optional<std::size_t>> parents_;  // of a part: what it is a part of
};

}  // namespace

bool writes_in_place(const Node& node) {
  const std::string name = node.kind().toUnqualString();
  return node.kind().is_aten() && name.ends_with("_") && !name.ends_with("__");
}

std::vector<const Node*> shared_writes(const torch::jit::Graph& graph) {
  Memory memory;
  std::unordered_map<const Node*, std::size_t> places;
  for (const Value* input : graph.inputs()) memory.add(input);
  for (const Node* node : graph.nodes()) {
    const Value* source = node->inputs().empty() ? nullptr : node->inputs()[0];
    for (const Value* output : node->outputs()) {
      if (source != nullptr && (is_view(*node) || writes_in_place(*node))) {
        memory.add_view(output, source);
      } else if (node->kind() == torch::jit::prim::ListUnpack) {
        memory.add_part(output, source);  // of split, chunk and unbind: no two overlap
      } else {
        memory.add(output);
      }
    }
    places[node] = places.size();
  }
  places[graph.return_node()] = places.size();

  std::vector<const Node*> found;
  for (const Node* node : graph.nodes()) {
    if (!writes_in_place(*node)) continue;
    bool seen_later = false;
    for (const Value* value : memory.overlapping(node->inputs()[0])) {
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
