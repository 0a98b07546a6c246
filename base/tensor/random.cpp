#include "base/torch.h"

#include "base/tensor/random.h"

#include <ATen/CPUGeneratorImpl.h>

namespace base {
namespace {

// splitmix64's finaliser: seeds and epochs that differ in one bit give streams that have nothing in common.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index)
    : engine_(mix(mix(seed) ^ epoch), /*subsequence=*/index) {}

std::int64_t Random::below(std::int64_t bound) {
  // Multiply and shift, with the few values drawn again that would make some results likelier than others (Lemire).
  const auto size = static_cast<std::uint64_t>(bound);
  std::uint64_t product = std::uint64_t{engine_()} * size;
  if (static_cast<std::uint32_t>(product) < size) {
    const std::uint64_t unfair = (std::uint64_t{1} << 32) % size;
    while (static_cast<std::uint32_t>(product) < unfair) product = std::uint64_t{engine_()} * size;
  }
  return static_cast<std::int64_t>(product >> 32);
}

torch::Generator make_generator(std::uint64_t seed, std::uint64_t epoch) {
  return at::detail::createCPUGenerator(mix(mix(seed) ^ epoch));
}

}  // namespace base
