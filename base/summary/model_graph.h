// model_graph.h: a network as boxes and arrows.
#ifndef BASE_SUMMARY_MODEL_GRAPH_H_
#define BASE_SUMMARY_MODEL_GRAPH_H_

#include <vector>

#include "base/model/model.h"
#include "base/summary/event.h"

namespace base {

/// Runs the model once on its example inputs, in the mode kInfer, and writes down each operation. One that takes the
/// parameters of a layer is drawn inside the layer's box. Empty, with a warning, for a model that cannot be traced.
std::vector<GraphNode> graph_of(Model& model);

}  // namespace base

#endif  // BASE_SUMMARY_MODEL_GRAPH_H_
