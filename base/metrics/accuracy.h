// accuracy.h: how often the right class comes first, or among the first k.
#ifndef BASE_METRICS_ACCURACY_H_
#define BASE_METRICS_ACCURACY_H_

#include <cstdint>

#include "base/metrics/metric.h"

namespace base {

/// The share of examples whose class is decided rightly, from 0 to 1. Scores that hold a NaN decide nothing: that is
/// counted as wrong.
///
///     metrics.get<Accuracy>("accuracy").update(outputs["logits"], batch["label"]);
class Accuracy final : public Metric {
 public:
  Accuracy() : Metric({2}) {}

  /// Scores [n, classes, ...] or decided classes [n, ...], and labels [n, ...]. Waits once for a GPU.
  void update(const torch::Tensor& outputs, const torch::Tensor& labels);

  double value() const { return sums()[0] / sums()[1]; }
  void add_results(const std::string& name, Results& results) const override;
};

/// The share of examples whose class is among those with the `k` highest scores. Of equal scores the lower class comes
/// first. A NaN is counted as in Accuracy, which is TopK(1).
class TopK final : public Metric {
 public:
  explicit TopK(std::int64_t k);

  /// Scores [n, classes] and labels [n]. They come to the CPU whole.
  void update(const torch::Tensor& scores, const torch::Tensor& labels);

  double value() const { return sums()[0] / sums()[1]; }
  void add_results(const std::string& name, Results& results) const override;

 private:
  std::int64_t k_;
};

}  // namespace base

#endif  // BASE_METRICS_ACCURACY_H_
