// suggest.h: "did you mean ...?" for the fix line of an Error.
#ifndef BASE_LOG_SUGGEST_H_
#define BASE_LOG_SUGGEST_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace base {

/// How many insertions, deletions, replacements and swaps of two neighbours turn one text into the other, where no part
/// is edited twice (optimal string alignment).
std::size_t edit_distance(std::string_view from, std::string_view to);

/// The candidate that a mistyped word most likely stands for: the one fewest edits away, the first of them when
/// several are; empty if none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace base

#endif  // BASE_LOG_SUGGEST_H_
