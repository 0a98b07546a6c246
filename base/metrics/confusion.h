// confusion.h: which classes are taken for which, and the figures that come of it.
#ifndef BASE_METRICS_CONFUSION_H_
#define BASE_METRICS_CONFUSION_H_

#include <cstdint>

#include "base/metrics/metric.h"

namespace base {

/// How often each class was taken for each. As a figure it shows the share of those that were taken for themselves.
class ConfusionMatrix final : public Metric {
 public:
  explicit ConfusionMatrix(std::int64_t classes);

  /// Scores [n, classes, ...] or decided classes [n, ...], and labels [n, ...]; a label of no class is a data Error,
  /// and nothing of the batch is counted. Waits once for a GPU.
  void update(const torch::Tensor& outputs, const torch::Tensor& labels);

  /// float64 [classes, classes]: a row for each true class, a column for each that was predicted.
  torch::Tensor matrix() const;
  /// float64 [classes]: examples of each true class whose scores held a NaN, so that they are in no column.
  torch::Tensor undecided() const;
  void add_results(const std::string& name, Results& results) const override;

 private:
  std::int64_t classes_;
};

/// Precision (how many of those taken for a class are of it), recall (how many of those of a class were taken for it)
/// and F1 (their harmonic mean), as <name>_precision, <name>_recall and <name>_f1.
///
/// Of two classes, class 1 is the one looked for. Of more, each class counts the same (macro average); one that neither
/// occurs nor is ever predicted is left out. A class that occurs but is never predicted has precision 0.
class PrecisionRecall final : public Metric {
 public:
  struct Options {
    std::int64_t classes = 2;
    bool per_class = false;  // also <name>_precision_<class> and so on
  };
  PrecisionRecall() : PrecisionRecall(Options{}) {}
  explicit PrecisionRecall(const Options& options);

  /// As ConfusionMatrix. Scores that hold a NaN are missed by the class's recall, and hurt no precision.
  void update(const torch::Tensor& outputs, const torch::Tensor& labels);

  struct Scores {
    double precision;
    double recall;
    double f1;
  };
  /// NaN for a class that neither occurs nor is predicted.
  Scores of_class(std::int64_t number) const;
  Scores value() const;
  void add_results(const std::string& name, Results& results) const override;

 private:
  Options options_;
};

}  // namespace base

#endif  // BASE_METRICS_CONFUSION_H_
