// error.h: how far numbers are from what they should be.
#ifndef BASE_METRICS_ERROR_H_
#define BASE_METRICS_ERROR_H_

#include "base/metrics/metric.h"

namespace base {

/// The mean of (prediction - target)^2 over all elements. Shapes must be equal: [n, 1] against [n] would quietly
/// compare each with all, and is a usage Error. A NaN makes the result one. Waits once for a GPU.
class MeanSquaredError final : public Metric {
 public:
  MeanSquaredError() : Metric({2}) {}

  void update(const torch::Tensor& predictions, const torch::Tensor& targets);

  double value() const { return sums()[0] / sums()[1]; }
  void add_results(const std::string& name, Results& results) const override { results.emplace_back(name, value()); }
};

/// The mean of |prediction - target|; as MeanSquaredError otherwise.
class MeanAbsoluteError final : public Metric {
 public:
  MeanAbsoluteError() : Metric({2}) {}

  void update(const torch::Tensor& predictions, const torch::Tensor& targets);

  double value() const { return sums()[0] / sums()[1]; }
  void add_results(const std::string& name, Results& results) const override { results.emplace_back(name, value()); }
};

}  // namespace base

#endif  // BASE_METRICS_ERROR_H_
