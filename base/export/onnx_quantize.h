// onnx_quantize.h: a model that computes with integers of 8 bits.
//
//     graph = simplified(with_folded_batch_norms(std::move(graph)));
//     const Ranges ranges = calibrate(graph, ...);                      // calibration.h
//     write_onnx(quantized(graph, ranges), "model_int8.onnx");
//
#ifndef BASE_EXPORT_ONNX_QUANTIZE_H_
#define BASE_EXPORT_ONNX_QUANTIZE_H_

#include <map>
#include <string>
#include <vector>

#include "base/export/onnx_graph.h"

namespace base {

/// Between which numbers the values of a tensor lie, or those of them that count.
struct Range {
  float least = 0;
  float most = 0;

  bool operator==(const Range&) const = default;
};
using Ranges = std::map<std::string, Range>;  // by the name of the value

/// Engines recognise a quantised layer by the nodes around it, and do not look for the same ones.
enum class QuantizedFor {
  kTensorRt,  // I8 with zero in the middle, around the inputs of layers and the shortcut of a sum; biases stay F32
  /// U8 with any zero, around inputs and results of layers and sums; biases are I32. Weights have 7 bits: on processors
  /// with AVX2 or AVX-512 but without VNNI the sums of products would overflow, and an export is served anywhere.
  kOnnxRuntime
};

struct QuantizeOptions {
  QuantizedFor engine = QuantizedFor::kTensorRt;
  std::vector<std::string> keep = {};  // layers that stay as they are, by name: "network/head" and what is below it
};

/// The values whose ranges quantized() needs, in the order of the graph.
std::vector<std::string> calibration_points(const OnnxGraph& graph, const QuantizeOptions& options = {});

/// The same graph with these values as outputs too, so that whoever runs it sees them.
OnnxGraph with_outputs(OnnxGraph graph, const std::vector<std::string>& values);

/// Convolutions, Gemm and MatMul get weights in I8, scaled by output channel, and rounded inputs: QuantizeLinear and
/// DequantizeLinear stand where the rounding happens, in a model that computes the same in any engine; one that knows
/// quantised layers takes layer and nodes together. A range that is missing is an Error of the export kind.
OnnxGraph quantized(OnnxGraph graph, const Ranges& ranges, const QuantizeOptions& options = {});

}  // namespace base

#endif  // BASE_EXPORT_ONNX_QUANTIZE_H_
