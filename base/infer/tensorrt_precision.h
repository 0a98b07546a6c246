// tensorrt_precision.h: from the precision that is asked for, and the one of the graph, to what TensorRT is told.
#ifndef BASE_INFER_TENSORRT_PRECISION_H_
#define BASE_INFER_TENSORRT_PRECISION_H_

#include <string_view>

#include "base/infer/onnx_facts.h"

namespace base {

enum class Precision {
  kGraph,  // whatever the graph is in
  kFp32,
  kTf32,  // FP32, but products in the 19 bits of tensor cores
  kFp16,
  kInt8
};

/// auto, fp32, tf32, fp16 or int8; any other text is a usage Error.
Precision precision_from_text(std::string_view text);
std::string_view name_of(Precision precision);

/// How far the answers may be from those of the FP32 graph, as a part of the largest of them.
double tolerance_of(Precision precision);

struct PrecisionRules {
  bool strongly_typed = false;  // every layer computes in the types that the graph gives it
  bool tf32 = false;
  bool fp16 = false;  // TensorRT may compute layers in it; never in a strongly typed network
  bool int8 = false;  // likewise

  bool operator==(const PrecisionRules&) const = default;
};

/// TensorRT 11 takes the precision from the graph alone. TensorRT 10 can also lower an FP32 graph to FP16 by itself.
/// INT8 needs scales, which stand in the graph, for both. A graph of another precision than the asked one is a backend
/// Error that says so.
PrecisionRules precision_rules(Precision asked, const OnnxFacts& graph, int tensorrt_major);

}  // namespace base

#endif  // BASE_INFER_TENSORRT_PRECISION_H_
