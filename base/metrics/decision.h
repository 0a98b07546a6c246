// decision.h: what a classifier decided and what would have been right, as the metrics of classification count them.
#ifndef BASE_METRICS_DECISION_H_
#define BASE_METRICS_DECISION_H_

#include <cstdint>
#include <span>

#include "base/torch.h"

namespace base {

/// Examples one after the other. Where the scores hold a NaN, `predicted` is kUndecided, which no label equals: the
/// largest of them would be an accident.
class Decisions {
 public:
  static constexpr std::int64_t kUndecided = -1;

  /// Scores [n, classes, ...], logits or probabilities, of which the largest decides (the first of equals), or the
  /// numbers of the classes themselves [n, ...]; and labels [n, ...]. Anything else is a usage Error. Both come to the
  /// CPU together, so that a GPU is waited for once.
  Decisions(const torch::Tensor& outputs, const torch::Tensor& labels);

  std::size_t size() const { return labels().size(); }
  std::span<const std::int64_t> predicted() const { return span_of(predicted_); }
  std::span<const std::int64_t> labels() const { return span_of(labels_); }

  /// Throws a data Error for a label that is not from 0 to `classes` - 1, and a usage Error for such a prediction.
  void check(std::int64_t classes) const;

 private:
  static std::span<const std::int64_t> span_of(const torch::Tensor& tensor) {
    return {tensor.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(tensor.numel())};
  }

  torch::Tensor predicted_;
  torch::Tensor labels_;
};

}  // namespace base

#endif  // BASE_METRICS_DECISION_H_
