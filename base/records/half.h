// half.h: numbers of 16 bits (IEEE binary16) as they lie in files, without help of the processor.
#ifndef BASE_RECORDS_HALF_H_
#define BASE_RECORDS_HALF_H_

#include <cstdint>

namespace base {

constexpr float kLargestHalf = 65504.F;
constexpr float kSmallestNormalHalf = 6.103515625e-5F;  // below it digits are lost, one by one
constexpr float kSmallestHalf = 5.9604644775390625e-8F;

/// The nearest half, of two equally near ones the even one. What is too large becomes infinite, NaN stays NaN.
std::uint16_t half_of(float number);
/// Exactly.
float float_of(std::uint16_t half);

}  // namespace base

#endif  // BASE_RECORDS_HALF_H_
