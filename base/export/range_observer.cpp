#include "base/export/range_observer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace base {
namespace {

/// How many of each side's levels 8 bits have.
constexpr std::size_t kLevels = 128;

void merge_pairs(std::vector<std::uint64_t>& bins) {
  for (std::size_t i = 0; i < bins.size() / 2; ++i) bins[i] = bins[2 * i] + bins[2 * i + 1];
  std::fill(bins.begin() + static_cast<std::ptrdiff_t>(bins.size() / 2), bins.end(), 0);
}

/// The end of the first bin by which `wanted` of all are reached; bins go outwards from zero.
std::size_t bins_for(std::span<const std::uint64_t> bins, double wanted) {
  double sum = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sum += static_cast<double>(bins[i]);
    if (sum >= wanted) return i + 1;
  }
  return bins.size();
}

/// What it costs to take `kept` bins, rounded to levels, for all of them.
double divergence(std::span<const std::uint64_t> bins, std::size_t kept, std::uint64_t beyond, std::size_t levels) {
  const auto inside = static_cast<double>(
      std::accumulate(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(kept), std::uint64_t{0}));
  const double all = inside + static_cast<double>(beyond);
  if (inside == 0) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t begin = level * kept / levels;
    const std::size_t end = (level + 1) * kept / levels;
    std::uint64_t held = 0;
    std::size_t occupied = 0;
    for (std::size_t i = begin; i < end; ++i) {
      held += bins[i];
      const bool is_last = i + 1 == kept;
      if (bins[i] > 0 || (is_last && beyond > 0)) ++occupied;
    }
    if (occupied == 0) continue;
    sum -= static_cast<double>(occupied - 1) / (2 * all);  // expected of bins that differ by chance alone
    // A level knows how many values it holds, not where: they count as spread over the bins that have any.
    const double rounded = std::max(static_cast<double>(held), 1e-4) / static_cast<double>(occupied) / inside;
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_last = i + 1 == kept;
      const double original = static_cast<double>(bins[i] + (is_last ? beyond : 0)) / all;
      if (original > 0) sum += original * std::log(original / rounded);
    }
  }
  return sum;
}

}  // namespace

std::size_t best_cut(std::span<const std::uint64_t> bins, std::size_t levels) {
  std::size_t used = bins.size();
  while (used > levels && bins[used - 1] == 0) --used;
  std::uint64_t beyond = 0;
  std::size_t best = used;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t kept = used; kept >= levels && kept > 0; --kept) {
    const double cost = divergence(bins, kept, beyond, levels);
    if (cost < least) {
      least = cost;
      best = kept;
    }
    beyond += bins[kept - 1];
  }
  return best;
}

void RangeObserver::observe(std::span<const float> values) {
  float size = 0;
  for (const float value : values)
    if (std::isfinite(value)) size = std::max(size, std::fabs(value));
  widen(size);
  const float bins_per_unit = limit_ > 0 ? static_cast<float>(kBins) / limit_ : 0;
  for (const float value : values) {
    if (!std::isfinite(value)) {
      ++not_finite_;
      continue;
    }
    seen_.least = count_ == 0 ? value : std::min(seen_.least, value);
    seen_.most = count_ == 0 ? value : std::max(seen_.most, value);
    ++count_;
    if (value == 0) ++zeros_;
    const auto bin = std::min(static_cast<std::size_t>(std::fabs(value) * bins_per_unit), kBins - 1);
    ++(value < 0 ? below_ : above_)[bin];
  }
}

/// Twice as wide until the value is in: two bins then are one, and nothing that was counted moves to a wrong one.
void RangeObserver::widen(float size) {
  if (below_.empty()) {
    below_.resize(kBins);
    above_.resize(kBins);
  }
  if (limit_ == 0) {
    limit_ = size;  // all that came before was zero, and stays in the first bin
    return;
  }
  for (; size > limit_; limit_ *= 2) {
    merge_pairs(below_);
    merge_pairs(above_);
  }
}

Range RangeObserver::range(const RangeOptions& options) const {
  if (options.method == RangeMethod::kMinMax || limit_ == 0) return seen_;
  if (options.method == RangeMethod::kPercentile) return percentile_range(options.percentile);
  const float limit = entropy_limit();
  return {.least = std::max(seen_.least, -limit), .most = std::min(seen_.most, limit)};
}

Range RangeObserver::percentile_range(double percentile) const {
  const double wanted = static_cast<double>(count_) * std::clamp(percentile, 0.0, 100.0) / 100;
  const double cut = (static_cast<double>(count_) - wanted) / 2;  // on each side
  const float width = limit_ / static_cast<float>(kBins);
  // Bins outwards from zero: a side keeps what it has but for the cut; one with less than the cut keeps nothing.
  const auto end_of = [&](const std::vector<std::uint64_t>& bins) {
    const auto held = static_cast<double>(std::accumulate(bins.begin(), bins.end(), std::uint64_t{0}));
    return held <= cut ? 0.F : width * static_cast<float>(bins_for(bins, held - cut));
  };
  return {.least = std::max(seen_.least, -end_of(below_)), .most = std::min(seen_.most, end_of(above_))};
}

float RangeObserver::entropy_limit() const {
  std::vector<std::uint64_t> sizes(kBins);
  for (std::size_t i = 0; i < kBins; ++i) sizes[i] = below_[i] + above_[i];
  sizes[0] -= zeros_;  // zero is exact however the range is cut, and after a ReLU half of all values are
  return limit_ / static_cast<float>(kBins) * static_cast<float>(best_cut(sizes, kLevels));
}

}  // namespace base
