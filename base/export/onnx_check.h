// onnx_check.h: what holds of every OnnxGraph, before and after a pass.
#ifndef BASE_EXPORT_ONNX_CHECK_H_
#define BASE_EXPORT_ONNX_CHECK_H_

#include <string>

#include "base/export/onnx_graph.h"

namespace base {

/// The first thing that is wrong with the graph as a graph, in words; empty if nothing is: every value is made once and
/// before it is used, every output of the signature is made, and constants have the bytes of their shape. What the
/// operators themselves ask for is not looked at.
std::string problem_of(const OnnxGraph& graph);

}  // namespace base

#endif  // BASE_EXPORT_ONNX_CHECK_H_
