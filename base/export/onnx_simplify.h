// onnx_simplify.h: an OnnxGraph without what does nothing.
#ifndef BASE_EXPORT_ONNX_SIMPLIFY_H_
#define BASE_EXPORT_ONNX_SIMPLIFY_H_

#include "base/export/onnx_graph.h"

namespace base {

/// The same function with fewer nodes: Identity and Cast to the type that is there already are gone, Constant nodes and
/// casts of constants are constants, weights are not transposed by nodes, of casts in a row only the last is left where
/// those before it lose nothing, and what no output needs is dropped. Inputs and outputs keep their names.
OnnxGraph simplified(OnnxGraph graph);

/// Without nodes and constants that no output needs, and without `values` of what is not there.
OnnxGraph without_unused(OnnxGraph graph);

/// Batch normalisations that follow a convolution alone become part of its weights and bias. Quantised weights must be
/// those that the network computes with, so quantize() wants this done before.
OnnxGraph with_folded_batch_norms(OnnxGraph graph);

}  // namespace base

#endif  // BASE_EXPORT_ONNX_SIMPLIFY_H_
