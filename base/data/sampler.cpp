#include "base/torch.h"

#include "base/data/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/log/error.h"
#include "base/tensor/random.h"

namespace base {
namespace {

std::vector<std::int64_t> to_vector(const torch::Tensor& numbers) {
  const auto* first = numbers.const_data_ptr<std::int64_t>();
  return {first, first + numbers.numel()};
}

}  // namespace

std::vector<std::int64_t> SequentialSampler::order(std::int64_t size, std::int64_t /*epoch*/) const {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<std::int64_t> ShuffledSampler::order(std::int64_t size, std::int64_t epoch) const {
  return to_vector(torch::randperm(size, make_generator(seed_, static_cast<std::uint64_t>(epoch)), torch::kLong));
}

WeightedSampler::WeightedSampler(std::uint64_t seed, std::vector<double> weights, std::int64_t draws)
    : seed_(seed), weights_(std::move(weights)), draws_(draws) {
  const auto bad = std::ranges::find_if(weights_, [](double weight) { return !(weight >= 0) || std::isinf(weight); });
  if (bad != weights_.end()) {
    throw Error(ErrorKind::kData, "a weight of an example is negative or not finite",
                std::to_string(*bad) + " of example " + std::to_string(bad - weights_.begin()),
                "give weights from 0 on");
  }
  if (std::ranges::none_of(weights_, [](double weight) { return weight > 0; }))
    throw Error(ErrorKind::kData, "no example has a weight above 0", "", "give at least one example a weight");
}

std::vector<std::int64_t> WeightedSampler::order(std::int64_t size, std::int64_t epoch) const {
  const auto known = static_cast<std::int64_t>(weights_.size());
  if (size > known) {
    throw Error(ErrorKind::kData, "there are fewer weights than examples",
                std::to_string(known) + " weights, " + std::to_string(size) + " examples", "give one for each example");
  }
  // Not torch::multinomial, which ends at 2^24 categories: a draw falls into the interval of its example.
  std::vector<double> ends(static_cast<std::size_t>(size));
  std::partial_sum(weights_.begin(), weights_.begin() + size, ends.begin());
  if (!(ends.back() > 0))
    throw Error(ErrorKind::kData, "none of the examples that `limit` leaves has a weight above 0", "", "raise `limit`");
  const auto draws = draws_ > 0 ? draws_ : size;
  const torch::Tensor places =
      torch::rand({draws}, make_generator(seed_, static_cast<std::uint64_t>(epoch)), torch::kDouble) * ends.back();
  std::vector<std::int64_t> order(static_cast<std::size_t>(draws));
  const auto* place = places.const_data_ptr<double>();
  for (auto& number : order) {
    const auto interval = std::ranges::upper_bound(ends, *place++);
    number = std::min(interval - ends.begin(), size - 1);
  }
  return order;
}

DistributedShare::DistributedShare(World world, std::int64_t batch_size, bool drop_last)
    : world_(world), batch_size_(batch_size), drop_last_(drop_last) {}

DistributedShare::Step DistributedShare::step(std::int64_t length, std::int64_t taken) const {
  const std::int64_t left = std::max<std::int64_t>(length - taken, 0);
  const std::int64_t wanted = batch_size_ * world_.size;
  if (left >= wanted) return {taken + world_.rank * batch_size_, batch_size_, taken + wanted};
  if (left == 0 || drop_last_) return {taken, 0, taken};
  // As evenly as it can be among so many that none has to do with a single one, of which a batch norm makes nothing;
  // the first of them take one more than the last.
  const std::int64_t takers = std::clamp<std::int64_t>(left / 2, 1, world_.size);
  const std::int64_t each = left / takers;
  const std::int64_t more = left % takers;
  const auto rank = static_cast<std::int64_t>(world_.rank);
  if (rank >= takers) return {length, 0, length};
  return {taken + rank * each + std::min(rank, more), each + (rank < more ? 1 : 0), length};
}

std::int64_t DistributedShare::steps(std::int64_t length, std::int64_t taken) const {
  const std::int64_t left = std::max<std::int64_t>(length - taken, 0);
  const std::int64_t wanted = batch_size_ * world_.size;
  return left / wanted + (left % wanted != 0 && !drop_last_ ? 1 : 0);
}

}  // namespace base
