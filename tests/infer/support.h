// support.h: small exported models, and tensors to ask them.
#ifndef TESTS_INFER_SUPPORT_H_
#define TESTS_INFER_SUPPORT_H_

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/artifact/artifact.h"
#include "base/export/onnx_file.h"
#include "base/infer/host_tensor.h"

namespace base {

/// A tensor of these numbers.
template <typename T>
HostTensor tensor(std::string name, DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& numbers) {
  NewTensor made = new_tensor(std::move(name), dtype, std::move(shape));
  if (!numbers.empty()) std::memcpy(made.bytes.data(), numbers.data(), made.bytes.size());
  return made.tensor;
}

inline HostTensor floats(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& numbers) {
  return tensor(std::move(name), DType::kF32, std::move(shape), numbers);
}

template <typename T = float>
std::vector<T> numbers_of(const TensorView& view) {
  std::vector<T> numbers(view.bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), view.bytes.data(), view.bytes.size());
  return numbers;
}

inline OnnxTensor constant(const HostTensor& tensor) {
  return {tensor.view, tensor.owner};
}

/// scores [batch, 2] = x [batch, 3] times a matrix, plus (10, 20); doubled [batch, 3] = x + x.
inline OnnxGraph small_graph() {
  OnnxGraph graph;
  graph.signature = {
      .inputs = {{"x", DType::kF32, {{1, "batch"}, {3}}}},
      .outputs = {{"scores", DType::kF32, {{1, "batch"}, {2}}}, {"doubled", DType::kF32, {{1, "batch"}, {3}}}}};
  graph.initializers = {constant(floats("matrix", {3, 2}, {1, 0, 0, 1, 1, 1})),
                        constant(floats("bias", {2}, {10, 20}))};
  graph.nodes = {{.operation = "MatMul", .inputs = {"x", "matrix"}, .outputs = {"product"}, .name = "product"},
                 {.operation = "Add", .inputs = {"product", "bias"}, .outputs = {"scores"}, .name = "scores"},
                 {.operation = "Add", .inputs = {"x", "x"}, .outputs = {"doubled"}, .name = "doubled"}};
  return graph;
}

inline std::filesystem::path write_export(const std::filesystem::path& folder, const OnnxGraph& graph,
                                          const OnnxWriteOptions& options = {}, const std::string& precision = "fp32") {
  ArtifactWriter writer(folder);
  write_onnx(graph, writer.path() / kOnnxFile, options);
  writer.complete({.model = "small",
                   .step = 7,
                   .precision = precision,
                   .signature = graph.signature,
                   .metrics = {{"accuracy", 0.5}}});
  writer.publish();
  return folder;
}

}  // namespace base

#endif  // TESTS_INFER_SUPPORT_H_
