#include "base/export/calibration.h"

#include <cstring>
#include <map>

#include "base/export/onnx_tensor.h"
#include "base/log/error.h"
#include "base/log/log.h"

namespace base {

Ranges calibrate(const OnnxGraph& graph, const OnnxLoad& load, const CalibrationData& data,
                 const CalibrationOptions& options) {
  const std::vector<std::string> points = calibration_points(graph, options.quantize);
  const OnnxGraph watched = with_outputs(graph, points);
  const OnnxRun run = load(watched);
  std::map<std::string, RangeObserver> observers;
  for (const std::string& point : points) observers[point];
  const auto observe = [&](const std::string& name, const TensorView& view) {
    const auto observer = observers.find(name);
    if (observer != observers.end()) observer->second.observe(to_floats({.view = view}));
  };
  std::size_t batches = 0;
  for (auto inputs = data(); inputs; inputs = data(), ++batches) {
    for (const TensorView& input : *inputs) observe(input.name, input);
    const std::span<const TensorView> answers = run(*inputs);
    for (std::size_t i = 0; i < answers.size(); ++i) observe(watched.signature.outputs.at(i).name, answers[i]);
  }
  if (batches == 0 && !points.empty()) {
    throw Error(ErrorKind::kData, "there is no data to calibrate with", graph.name,
                "give some hundred examples of what the model will see");
  }
  Ranges ranges;
  for (const auto& [name, observer] : observers) {
    if (observer.count_not_finite() > 0) {
      log::warn("{}: {} of {} values are not finite and were left out of its range", name, observer.count_not_finite(),
                observer.count_not_finite() + observer.count());
    }
    ranges[name] = observer.range(options.range);
  }
  return ranges;
}

}  // namespace base
