// onnx_runner.h: an OnnxGraph, run by the engine that runs exported models.
#ifndef BASE_EXPORT_ONNX_RUNNER_H_
#define BASE_EXPORT_ONNX_RUNNER_H_

#include <string>

#include "base/export/calibration.h"

namespace base {

/// The graph in an engine, by default in ONNX Runtime on the CPU; `target` is as load_backend() takes it. Until the run
/// and its copies are gone, the model is in a temporary folder. The answers of a run hold until the next one, as those
/// of a Backend.
///
///     const Ranges ranges = calibrate(graph, [](const OnnxGraph& watched) { return load_onnx(watched); }, data);
///
OnnxRun load_onnx(const OnnxGraph& graph, const std::string& target = "cpu");

}  // namespace base

#endif  // BASE_EXPORT_ONNX_RUNNER_H_
