// text.h: text as messages, help and TOML files show it. Internal to base/config.
#ifndef BASE_CONFIG_TEXT_H_
#define BASE_CONFIG_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace base::config {

/// The longest piece of foreign text that a message shows, in characters.
inline constexpr std::size_t kShownCharacters = 60;

/// How many bytes at the start of the text are whole UTF-8 characters: all of them if it is UTF-8.
std::size_t utf8_length(std::string_view text);
inline bool valid_utf8(std::string_view text) {
  return utf8_length(text) == text.size();
}

/// The text with control characters and bytes that are no UTF-8 as escapes, so that it cannot play tricks on a
/// terminal; cut after `limit` characters.
std::string printable(std::string_view text, std::size_t limit = std::string_view::npos);

/// As printable(), in double quotes, and those escaped inside: a TOML string if the text is UTF-8 and not cut.
std::string in_quotes(std::string_view text, std::size_t limit = std::string_view::npos);

/// The number of characters of UTF-8 text.
std::size_t width(std::string_view text);

/// Breaks text at white space into lines of at most `columns` characters (where words allow it); every line but the
/// first starts with `indent`, and the first is taken to start in column `start`.
std::string wrap(std::string_view text, std::string_view indent, std::size_t start, std::size_t columns);

/// "1", "1 or 2", "1, 2 or 3".
std::string one_of(const std::vector<std::string>& items);

}  // namespace base::config

#endif  // BASE_CONFIG_TEXT_H_
