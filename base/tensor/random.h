// random.h: chance that can be repeated. What is drawn for an example depends on the seed, the epoch and the example's
// number alone, never on the thread or on the order in which examples are made.
#ifndef BASE_TENSOR_RANDOM_H_
#define BASE_TENSOR_RANDOM_H_

#include <cstdint>

#include "base/torch.h"

#include <ATen/core/PhiloxRNGEngine.h>

namespace base {

/// A stream of random numbers: Philox, which is counter-based, so that a stream of its own for each example costs
/// nothing.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t epoch = 0, std::uint64_t index = 0);

  /// From 0 to 1, without 1.
  double uniform() { return (engine_() >> 8) * 0x1.0p-24; }
  /// From `low` to `high`.
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// From 0 to `bound` - 1, each equally likely. `bound` is from 1 to 2^32.
  std::int64_t below(std::int64_t bound);
  /// True once in 1 / `probability` times.
  bool chance(double probability) { return uniform() < probability; }

 private:
  at::Philox4_32 engine_;
};

/// A generator for LibTorch's own random functions, from the same kind of seed.
torch::Generator make_generator(std::uint64_t seed, std::uint64_t epoch = 0);

}  // namespace base

#endif  // BASE_TENSOR_RANDOM_H_
