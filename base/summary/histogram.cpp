#include "base/torch.h"

#include "base/summary/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace base {

Histogram histogram_of(const torch::Tensor& values, int buckets) {
  const torch::Tensor flat = values.detach().to(torch::kCPU, torch::kFloat).contiguous();
  const std::span<const float> elements(flat.const_data_ptr<float>(), static_cast<std::size_t>(flat.numel()));
  Histogram result{.min = std::numeric_limits<double>::infinity(), .max = -std::numeric_limits<double>::infinity()};
  for (const float element : elements) {
    if (!std::isfinite(element)) continue;
    const double value = element;
    result.min = std::min(result.min, value);
    result.max = std::max(result.max, value);
    result.count += 1;
    result.sum += value;
    result.sum_of_squares += value * value;
  }
  if (result.count == 0) return {.limits = {0}, .buckets = {0}};
  const double width = (result.max - result.min) / buckets;
  if (width <= 0) {
    result.limits = {result.max};
    result.buckets = {result.count};
    return result;
  }
  for (int i = 1; i <= buckets; ++i) result.limits.push_back(i < buckets ? result.min + i * width : result.max);
  result.buckets.resize(static_cast<std::size_t>(buckets));
  for (const float element : elements) {
    if (!std::isfinite(element)) continue;
    const auto place = static_cast<std::size_t>((element - result.min) / width);
    result.buckets[std::min(place, result.buckets.size() - 1)] += 1;
  }
  return result;
}

}  // namespace base
