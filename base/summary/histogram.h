// histogram.h: how the elements of a tensor are distributed.
#ifndef BASE_SUMMARY_HISTOGRAM_H_
#define BASE_SUMMARY_HISTOGRAM_H_

#include "base/summary/event.h"
#include "base/torch.h"

namespace base {

/// In `buckets` buckets of equal width between the smallest and the largest; elements that are not finite are left out.
Histogram histogram_of(const torch::Tensor& values, int buckets = 64);

}  // namespace base

#endif  // BASE_SUMMARY_HISTOGRAM_H_
