// size_expression.h: a number that differs from run to run, in terms of sizes that do.
#ifndef BASE_EXPORT_SIZE_EXPRESSION_H_
#define BASE_EXPORT_SIZE_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace base {

using Numbers = std::vector<std::int64_t>;  // one for each run

/// factor * first * second / divisor (rounded down) + offset, where first and second stand for sizes.
struct SizeExpression {
  std::size_t first = 0;              // which of the sizes
  std::optional<std::size_t> second;  // another factor
  std::int64_t factor = 1;
  std::int64_t before = 0;  // added before the division
  std::int64_t divisor = 1;
  std::int64_t offset = 0;
};

/// The simplest one that gives `wanted` in every run: a size itself, a line, a product, a quotient if only one fits.
/// Earlier sizes are preferred.
std::optional<SizeExpression> find_expression(const Numbers& wanted, std::span<const Numbers> sizes);

}  // namespace base

#endif  // BASE_EXPORT_SIZE_EXPRESSION_H_
