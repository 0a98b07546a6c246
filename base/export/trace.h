// trace.h: what a model computes, as a graph of operators: where every export begins.
#ifndef BASE_EXPORT_TRACE_H_
#define BASE_EXPORT_TRACE_H_

#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/artifact/signature.h"
#include "base/export/trace_source.h"
#include "base/model/model.h"

namespace torch::jit {
struct Graph;
struct Module;
struct Node;
struct Value;
}  // namespace torch::jit

namespace base {

/// A model on its way out. The graph holds preprocess, forward and postprocess and computes with the sizes of its
/// inputs wherever the model did, so it takes other sizes along the dynamic axes.
struct Trace {
  Signature signature;
  std::shared_ptr<torch::jit::Module> module;  // has the model's parameters and buffers under their names, and forward
  std::shared_ptr<torch::jit::Graph> graph;    // of forward
  std::unordered_map<const torch::jit::Value*, std::vector<Axis>> axes;  // of the tensors in it
  CallStacks callers;                                                    // of the operators in it
  bool multiples = false;  // whether the model takes only multiples of the example's sizes along the dynamic axes
};

/// Runs the model a few times as it would be served: on the CPU, in the mode kInfer and without gradients. Afterwards
/// the model is as before, also if it throws.
///
/// LibTorch writes down operators, not what C++ does between them: sizes that the model asked for are plain numbers in
/// its graph. So the model runs with other sizes too, near and far, and a number that differs is computed from the
/// sizes of tensors then. An export Error if something else differs, if the model cannot be run, or if dynamic_axes()
/// does not fit.
Trace trace_model(Model& model);

/// Where an operator of the graph comes from: "forward, 'network.conv1', src/model.h:42", "preprocess", as far as it is
/// known.
std::string place_of(const torch::jit::Node& node, const CallStacks& callers);
/// The layer whose parameters the operator takes: "network.conv1", or nothing.
std::string layer_of(const torch::jit::Node& node);
/// What LibTorch says, without the stack that follows.
std::string first_line(const std::exception& error);

}  // namespace base

#endif  // BASE_EXPORT_TRACE_H_
