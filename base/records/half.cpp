#include "base/records/half.h"

#include <bit>
#include <cmath>

namespace base {
namespace {

constexpr std::uint32_t kSign = 0x8000;
constexpr std::uint32_t kInfinity = 0x7c00;
constexpr std::uint32_t kQuietNan = 0x7e00;
constexpr int kFractionBits = 10;
constexpr std::uint32_t kFractionMask = (1U << kFractionBits) - 1;

}  // namespace

std::uint16_t half_of(float number) {
  const std::uint32_t sign = (std::bit_cast<std::uint32_t>(number) >> 16U) & kSign;
  const float size = std::fabs(number);
  std::uint32_t bits = 0;
  if (std::isnan(number)) {
    bits = kQuietNan;
  } else if (size >= 65520.F) {  // half way from the largest one to the next that there would be
    bits = kInfinity;
  } else if (size < kSmallestNormalHalf) {
    // Counts of the smallest half; lrint rounds half way to even. 1024 of them are the smallest normal one, in bits
    // too.
    bits = static_cast<std::uint32_t>(std::lrint(size / kSmallestHalf));
  } else {
    constexpr std::uint32_t kBiasDifference = (127 - 15) << 23U;
    const std::uint32_t wide = std::bit_cast<std::uint32_t>(size) - kBiasDifference;
    const std::uint32_t odd = (wide >> 13U) & 1U;
    bits = (wide + 0xfff + odd) >> 13U;  // a carry into the exponent is right
  }
  return static_cast<std::uint16_t>(sign | bits);
}

float float_of(std::uint16_t half) {
  const std::uint32_t exponent = (half & kInfinity) >> kFractionBits;
  const std::uint32_t fraction = half & kFractionMask;
  float size = 0;
  if (exponent == 0) {
    size = static_cast<float>(fraction) * kSmallestHalf;
  } else if (exponent == kInfinity >> kFractionBits) {
    size = fraction == 0 ? INFINITY : NAN;
  } else {
    size = std::bit_cast<float>(((exponent + 127 - 15) << 23U) | (fraction << 13U));
  }
  return (half & kSign) != 0 ? -size : size;
}

}  // namespace base
