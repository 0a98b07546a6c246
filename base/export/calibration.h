// calibration.h: the ranges of a model's values, from data.
#ifndef BASE_EXPORT_CALIBRATION_H_
#define BASE_EXPORT_CALIBRATION_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/export/onnx_quantize.h"
#include "base/export/range_observer.h"

namespace base {

/// Runs a model as Backend::run does: the answers are in the order of its signature and hold until the next call.
using OnnxRun = std::function<std::span<const TensorView>(std::span<const TensorView> inputs)>;
/// Makes a graph ready to run, with whatever engine there is.
using OnnxLoad = std::function<OnnxRun(const OnnxGraph& graph)>;
/// The inputs of the next batch by name, valid until the call after; nothing when there are no more.
using CalibrationData = std::function<std::optional<std::vector<TensorView>>()>;

struct CalibrationOptions {
  QuantizeOptions quantize = {};
  RangeOptions range = {};
};

/// What quantized() needs: runs the data through the graph and watches calibration_points(). Some hundred examples, as
/// they come in use, are enough. No data at all is an Error of the data kind; values that are not finite are left out
/// and named in the log.
Ranges calibrate(const OnnxGraph& graph, const OnnxLoad& load, const CalibrationData& data,
                 const CalibrationOptions& options = {});

}  // namespace base

#endif  // BASE_EXPORT_CALIBRATION_H_
