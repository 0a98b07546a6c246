// trace_sizes.h: one graph for all sizes, out of graphs that were recorded with some.
#ifndef BASE_EXPORT_TRACE_SIZES_H_
#define BASE_EXPORT_TRACE_SIZES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/export/trace.h"

namespace base {

/// The model as LibTorch recorded it, with inputs of some sizes.
struct TraceRun {
  std::shared_ptr<torch::jit::Graph> graph;
  std::vector<std::vector<std::int64_t>> inputs;  // their shapes
  Tensors outputs;
  CallStacks callers;
};

/// Compares the runs, which differ in the sizes of the dynamic axes that trace.signature.inputs names, and lets the
/// graph of the first compute whatever number differs from the sizes of its tensors: as such a size, as k * size + c,
/// as a product of two, or as a quotient rounded down. Fills in the axes of trace.signature.outputs and trace.axes;
/// sizes that change together have one name. Runs that differ in something else are an export Error.
void make_dynamic(std::vector<TraceRun>& runs, Trace& trace);

}  // namespace base

#endif  // BASE_EXPORT_TRACE_SIZES_H_
