// duration.h: durations as people write them, such as 1h30m or 250ms.
#ifndef BASE_CONFIG_DURATION_H_
#define BASE_CONFIG_DURATION_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace base {

/// Reads whole numbers with the units h, m, s and ms: each at most once, in this order, at least one of them, with a
/// minus in front for a negative duration. Nothing if the text is of another form; also nothing if it is more than
/// std::chrono::milliseconds hold.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The form that parse_duration() reads back exactly, in the largest units and without zero parts: 90 minutes are
/// "1h30m", nothing at all is "0s".
std::string print_duration(std::chrono::milliseconds duration);

}  // namespace base

#endif  // BASE_CONFIG_DURATION_H_
