#include "base/export/size_expression.h"

#include <algorithm>

namespace base {
namespace {

bool fits_line(const Numbers& wanted, const Numbers& size, std::int64_t factor, std::int64_t offset) {
  for (std::size_t run = 0; run < wanted.size(); ++run)
    if (factor * size[run] + offset != wanted[run]) return false;
  return true;
}

std::optional<SizeExpression> line(const Numbers& wanted, const Numbers& size, std::size_t which) {
  for (std::size_t run = 1; run < wanted.size(); ++run) {
    const std::int64_t step = size[run] - size[0];
    if (step == 0) continue;
    const std::int64_t rise = wanted[run] - wanted[0];
    if (rise == 0 || rise % step != 0) return std::nullopt;
    const std::int64_t factor = rise / step;
    const std::int64_t offset = wanted[0] - factor * size[0];
    if (!fits_line(wanted, size, factor, offset)) return std::nullopt;
    return SizeExpression{.first = which, .second = {}, .factor = factor, .offset = offset};
  }
  return std::nullopt;
}

std::optional<SizeExpression> product(const Numbers& wanted, std::span<const Numbers> sizes, std::size_t i,
                                      std::size_t j) {
  const std::int64_t first = sizes[i][0] * sizes[j][0];
  if (first == 0 || wanted[0] % first != 0) return std::nullopt;
  const std::int64_t factor = wanted[0] / first;
  for (std::size_t run = 0; run < wanted.size(); ++run)
    if (factor * sizes[i][run] * sizes[j][run] != wanted[run]) return std::nullopt;
  return SizeExpression{.first = i, .second = j, .factor = factor};
}

/// Rounded down; else up; else in any way. Where several fit, no run tells which one is meant, and other sizes would.
std::optional<SizeExpression> quotient(const Numbers& wanted, const Numbers& size, std::size_t which) {
  enum class Kind { kDown, kUp, kAny };
  for (const Kind kind : {Kind::kDown, Kind::kUp, Kind::kAny}) {
    std::vector<SizeExpression> fitting;
    for (std::int64_t divisor = 2; divisor <= 32; ++divisor) {
      const bool one_rest = std::ranges::all_of(  // as multiples have it: however it is rounded, it is the same
          size, [&](std::int64_t each) { return each % divisor == size[0] % divisor; });
      for (std::int64_t before = 0; before < (one_rest ? 1 : divisor); ++before) {
        const std::int64_t offset = wanted[0] - (size[0] + before) / divisor;
        if (kind != Kind::kAny && (offset != 0 || before != (kind == Kind::kDown ? 0 : divisor - 1))) continue;
        bool fits = true;
        for (std::size_t run = 0; fits && run < wanted.size(); ++run)
          fits = (size[run] + before) / divisor + offset == wanted[run];
        if (fits)
          fitting.push_back({.first = which, .second = {}, .before = before, .divisor = divisor, .offset = offset});
      }
    }
    if (fitting.size() == 1) return fitting.front();
    if (!fitting.empty()) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SizeExpression> find_expression(const Numbers& wanted, std::span<const Numbers> sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == wanted) return SizeExpression{.first = i, .second = {}};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (auto found = line(wanted, sizes[i], i)) return found;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t j = i; j < sizes.size(); ++j)
      if (auto found = product(wanted, sizes, i, j)) return found;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (auto found = quotient(wanted, sizes[i], i)) return found;
  return std::nullopt;
}

}  // namespace base
