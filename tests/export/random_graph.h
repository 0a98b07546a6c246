// random_graph.h: graphs that nobody would write by hand, for properties that hold of all of them.
#ifndef TESTS_EXPORT_RANDOM_GRAPH_H_
#define TESTS_EXPORT_RANDOM_GRAPH_H_

#include <cstdint>

#include "base/export/onnx_graph.h"

namespace export_test {

/// A whole graph of some twenty operators on matrices [4, 4]: islands, casts, constants of all sizes, values that are
/// used twice or never, outputs in the middle. Equal seeds give equal graphs.
base::OnnxGraph random_graph(std::uint32_t seed);

/// What is wrong with the types of a graph's values, in words; empty if every operator gets floats of one type, and
/// what the graph says of values agrees with the operators that make them.
std::string type_problem_of(const base::OnnxGraph& graph);

}  // namespace export_test

#endif  // TESTS_EXPORT_RANDOM_GRAPH_H_
