// trace_mutation.h: operators that write into tensors, which ONNX does not have.
#ifndef BASE_EXPORT_TRACE_MUTATION_H_
#define BASE_EXPORT_TRACE_MUTATION_H_

#include <vector>

#include "base/export/trace.h"

namespace base {

/// The operators of the graph that write into memory which is seen through another value later: x[0] = 1 and then x.
/// All others that end in "_" may be taken as their counterparts that make a new tensor.
std::vector<const torch::jit::Node*> shared_writes(const torch::jit::Graph& graph);

/// Whether "aten::relu_" is such a one.
bool writes_in_place(const torch::jit::Node& node);

}  // namespace base

#endif  // BASE_EXPORT_TRACE_MUTATION_H_
