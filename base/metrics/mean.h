// mean.h: the mean of what is given, a loss say.
#ifndef BASE_METRICS_MEAN_H_
#define BASE_METRICS_MEAN_H_

#include "base/metrics/metric.h"

namespace base {

/// The mean of values, each with a weight. A value that is not a number makes the mean one that is not.
///
///     metrics.get<Mean>("loss").update(loss, batch_size);
class Mean final : public Metric {
 public:
  Mean() : Metric({2}) {}

  /// A weight of 0 leaves the value out; one below is a usage Error.
  void update(double value, double weight = 1);
  /// Each of the tensor's elements has this weight. Waits once for a tensor on a GPU.
  void update(const torch::Tensor& values, double weight = 1);

  double value() const;
  void add_results(const std::string& name, Results& results) const override;
};

}  // namespace base

#endif  // BASE_METRICS_MEAN_H_
