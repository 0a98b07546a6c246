// range_observer.h: between which numbers a tensor's values lie, seen batch by batch.
#ifndef BASE_EXPORT_RANGE_OBSERVER_H_
#define BASE_EXPORT_RANGE_OBSERVER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/export/onnx_quantize.h"

namespace base {

/// How the range that 8 bits are spread over is found. A narrow one cuts off outliers, a wide one makes all steps
/// large.
enum class RangeMethod {
  kMinMax,      // all that was seen
  kPercentile,  // without the outermost values
  kEntropy      // the cut after which the rounded values are distributed most like those before (Kullback-Leibler)
};

struct RangeOptions {
  RangeMethod method = RangeMethod::kMinMax;
  double percentile = 99.99;  // how much of the values kPercentile keeps
};

/// Sees values in any number of batches and keeps a histogram of them, in the same memory however many there are.
/// The order of the batches hardly matters: bins are merged by pairs as larger values come, never split anew.
class RangeObserver {
 public:
  static constexpr std::size_t kBins = 2048;  // on each side of zero

  /// NaN and infinities are counted, and otherwise left out.
  void observe(std::span<const float> values);

  /// Of nothing: from 0 to 0.
  Range range(const RangeOptions& options = {}) const;

  std::uint64_t count() const { return count_; }
  std::uint64_t count_not_finite() const { return not_finite_; }

 private:
  void widen(float size);
  Range percentile_range(double percentile) const;
  float entropy_limit() const;

  std::uint64_t count_ = 0;
  std::uint64_t not_finite_ = 0;
  std::uint64_t zeros_ = 0;
  Range seen_;
  float limit_ = 0;                   // the histogram goes from -limit_ to limit_
  std::vector<std::uint64_t> below_;  // bins of negative values, outwards from zero
  std::vector<std::uint64_t> above_;  // and of the others
};

/// Where to cut a histogram of sizes so that what is left, spread over `levels` steps, is most like all of it: the
/// number of bins to keep, at least `levels`. Values beyond the cut count as the largest that is left. What bins of few
/// values differ by chance is not held against the wider cut.
std::size_t best_cut(std::span<const std::uint64_t> bins, std::size_t levels);

}  // namespace base

#endif  // BASE_EXPORT_RANGE_OBSERVER_H_
