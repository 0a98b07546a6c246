// onnx_lowering.h: from a trace to ONNX.
#ifndef BASE_EXPORT_ONNX_LOWERING_H_
#define BASE_EXPORT_ONNX_LOWERING_H_

#include "base/export/onnx_graph.h"
#include "base/export/trace.h"

namespace base {

/// The trace with ONNX's operators, opset 17. Weights are named as the parameters (and share their memory), other
/// values by their layer. Operators that have no counterpart are an export Error that names all of them, with the hook
/// and the layer that they are in.
OnnxGraph lower_to_onnx(const Trace& trace);

}  // namespace base

#endif  // BASE_EXPORT_ONNX_LOWERING_H_
