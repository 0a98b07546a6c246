// suggest.h: "did you mean ...?" for the fix line of an Error.
#ifndef BASE_LOG_SUGGEST_H_
#define BASE_LOG_SUGGEST_H_

#include <span>
#include <string_view>

namespace base {

/// The candidate that a mistyped word most likely stands for: the one fewest edits away (a letter too many, missing,
/// wrong or swapped with its neighbour), the first of them when several are; empty if none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace base

#endif  // BASE_LOG_SUGGEST_H_
