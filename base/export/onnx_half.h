// onnx_half.h: a model that computes in half precision.
#ifndef BASE_EXPORT_ONNX_HALF_H_
#define BASE_EXPORT_ONNX_HALF_H_

#include <string>
#include <vector>

#include "base/export/onnx_graph.h"

namespace base {

struct HalfOptions {
  bool half_inputs_and_outputs = false;           // F16 at the model's border too; otherwise casts are there
  std::vector<std::string> keep = {};             // layers that stay F32, by name: "network/head" and what is below it
  std::vector<std::string> keep_operations = {};  // and operators, besides those that always do
};

/// The model with weights and computation in F16. Islands stay in F32, with casts around them: operators that sum up or
/// overflow (softmax, norms, reductions, powers, exponentials, logarithms, roots), those that engines have in F32 only
/// (ranges, running sums, the largest k), what is between two islands, and layers with constants that half precision
/// does not hold: too large for it, or all so small that they would lose most of their digits. Those are named in the
/// log. Integers, truth values and shapes are left as they are.
/// Engines with strong types (TensorRT 11) and ONNX Runtime take the result. A quantised model must be of opset 19 or
/// later, since before that scales are F32; another one is an Error of the export kind.
OnnxGraph to_half(OnnxGraph graph, const HalfOptions& options = {});

}  // namespace base

#endif  // BASE_EXPORT_ONNX_HALF_H_
