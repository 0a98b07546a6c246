#include "tests/export/random_graph.h"

#include <optional>
#include <random>
#include <string>

#include "base/export/onnx_index.h"
#include "base/log/format.h"
#include "tests/export/graphs.h"

namespace export_test {
namespace {

using base::Axis;
using base::DType;
using base::OnnxGraph;
using base::OnnxNode;

const std::vector<Axis> kSquare = {{.size = 4}, {.size = 4}};

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  OnnxGraph make() {
    graph_.signature.inputs = {{"x", DType::kF32, kSquare}, {"n", DType::kI64, kSquare}};
    floats_ = {"x"};
    integers_ = {"n"};
    const int count = 5 + draw(20);
    for (int i = 0; i < count; ++i) add();
    graph_.signature.outputs = {{floats_.back(), DType::kF32, kSquare}};
    if (floats_.size() > 2 && floats_[1] != floats_.back())
      graph_.signature.outputs.push_back({floats_[1], DType::kF32, kSquare});
    return std::move(graph_);
  }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<std::uint32_t>(below)); }
  const std::string& one_of(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(draw(static_cast<int>(names.size())))];
  }
  std::string value() {
    if (draw(4) != 0) return one_of(floats_);
    static constexpr float kSizes[] = {1.F, 0.01F, 1e-7F, 1e6F, 1e-12F};
    const std::string name = base::format("w{}", graph_.initializers.size());
    graph_.initializers.push_back(floats(name, {4, 4}, std::vector<float>(16, kSizes[draw(5)])));
    return name;
  }

  void add(const std::string& operation, std::vector<std::string> inputs, DType type,
           std::map<std::string, base::OnnxAttribute> attributes = {}) {
    OnnxNode node{operation, std::move(inputs), {}, std::move(attributes)};
    node.outputs = {base::format("v{}", graph_.nodes.size())};
    node.name = base::format("layer{}/{}", graph_.nodes.size(), operation);
    if (draw(3) != 0) graph_.values[node.outputs[0]] = {type, kSquare};  // the rest must be found out
    if (type == DType::kF32) floats_.push_back(node.outputs[0]);
    if (type == DType::kI64) integers_.push_back(node.outputs[0]);
    graph_.nodes.push_back(std::move(node));
  }

  void add() {
    const std::string first = one_of(floats_);
    switch (draw(12)) {
      case 0:
        return add("Add", {first, value()}, DType::kF32);
      case 1:
        return add("MatMul", {first, value()}, DType::kF32);
      case 2:
        return add("Gemm", {first, value(), value()}, DType::kF32);
      case 3:
        return add("Relu", {first}, DType::kF32);
      case 4:
        return add("Exp", {first}, DType::kF32);
      case 5:
        return add("Softmax", {first}, DType::kF32);
      case 6:
        return add("Identity", {first}, DType::kF32);
      case 7:
        return add("Cast", {one_of(integers_)}, DType::kF32, {{"to", std::int64_t{1}}});
      case 8:
        return add("Cast", {first}, DType::kI64, {{"to", std::int64_t{7}}});
      case 9:
        return add("Add", {one_of(integers_), one_of(integers_)}, DType::kI64);
      case 10:
        return add("Constant", {}, DType::kF32, {{"value", floats("", {4, 4}, std::vector<float>(16, 0.5F))}});
      default:
        return add("Cast", {first}, DType::kF32, {{"to", std::int64_t{1}}});
    }
  }

  std::mt19937 random_;
  OnnxGraph graph_;
  std::vector<std::string> floats_;
  std::vector<std::string> integers_;
};

bool is_float(DType type) {
  return type == DType::kF32 || type == DType::kF16;
}

}  // namespace

OnnxGraph random_graph(std::uint32_t seed) {
  return Maker(seed).make();
}

std::string type_problem_of(const OnnxGraph& graph) {
  const base::OnnxIndex index(graph);
  OnnxGraph bare = graph;  // what the operators themselves say
  bare.values.clear();
  bare.signature.outputs.clear();
  const base::OnnxIndex made(bare);
  for (const auto& [name, value] : graph.values)
    if (made.dtype(name) != value.dtype) return "the type of '" + name + "' is not what its node makes";
  for (const auto& output : graph.signature.outputs)
    if (made.dtype(output.name) != output.dtype)
      return "the type of the output '" + output.name + "' is not what its node makes";
  for (const OnnxNode& node : graph.nodes) {
    if (node.operation == "Resize" || node.operation == "Cast") continue;
    std::optional<DType> type;
    for (const std::string& input : node.inputs) {
      const auto other = index.dtype(input);
      if (!other || !is_float(*other)) continue;
      if (type && *type != *other) return base::format("{} takes floats of two types", node.name);
      type = other;
    }
  }
  return "";
}

}  // namespace export_test
