// sampler.h: in which order the examples of an epoch come. An order is a pure function of the seed and the epoch, the
// same in every process and whatever the number of threads; the processes of a World then share it out.
#ifndef BASE_DATA_SAMPLER_H_
#define BASE_DATA_SAMPLER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/dist/world.h"

namespace base {

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The numbers of the examples of one epoch, out of `size`.
  virtual std::vector<std::int64_t> order(std::int64_t size, std::int64_t epoch) const = 0;
};

/// One after the other.
class SequentialSampler final : public Sampler {
 public:
  std::vector<std::int64_t> order(std::int64_t size, std::int64_t epoch) const override;
};

/// Each once, in an order that is new in every epoch.
class ShuffledSampler final : public Sampler {
 public:
  explicit ShuffledSampler(std::uint64_t seed) : seed_(seed) {}
  std::vector<std::int64_t> order(std::int64_t size, std::int64_t epoch) const override;

 private:
  std::uint64_t seed_;
};

/// Drawn with replacement, each as often as its weight says: rare classes can be shown as often as common ones.
class WeightedSampler final : public Sampler {
 public:
  /// `weights` has one for each example, not negative and not all zero. `draws` is the length of an epoch; 0: as many
  /// as there are examples.
  WeightedSampler(std::uint64_t seed, std::vector<double> weights, std::int64_t draws = 0);
  std::vector<std::int64_t> order(std::int64_t size, std::int64_t epoch) const override;

 private:
  std::uint64_t seed_;
  std::vector<double> weights_;
  std::int64_t draws_;
};

/// The part of an order that one process of the world takes, from example `taken` of the whole order on. In each step
/// the processes take `batch_size` examples each, one behind the other, so that a world of four with batches of 8 sees
/// in a step what one process with batches of 32 sees. What is left at the end is shared out evenly, two to each at
/// least, or dropped.
class DistributedShare {
 public:
  DistributedShare(World world, std::int64_t batch_size, bool drop_last);

  struct Step {
    std::int64_t first = 0;  // position in the order of this process's first example
    std::int64_t count = 0;  // its examples; 0 if the rest does not reach this process
    std::int64_t taken = 0;  // examples of the order that all processes have taken after the step
  };
  /// The step after `taken` examples of an order of `length`; its `taken` stays where it was when the epoch is over.
  Step step(std::int64_t length, std::int64_t taken) const;
  /// Steps from `taken` on.
  std::int64_t steps(std::int64_t length, std::int64_t taken) const;

 private:
  World world_;
  std::int64_t batch_size_;
  bool drop_last_;
};

}  // namespace base

#endif  // BASE_DATA_SAMPLER_H_
