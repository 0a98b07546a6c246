#include "generator/version.h"

#include <cctype>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace generator {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// What may stand right before a version: not the inside of a word such as "g++-12.2" or "x86_64-1.0".
bool ends_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) == 0 &&
         std::string_view("-_+.~").find(c) == std::string_view::npos;
}

/// The dotted numbers at the start of a text.
Version leading_numbers(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end && is_digit(*at);) {
    int number = 0;
    const auto [after, failure] = std::from_chars(at, end, number);
    if (failure != std::errc{}) return {};
    version.numbers.push_back(number);
    version.written.assign(text.data(), after);
    at = after != end && *after == '.' ? after + 1 : end;
  }
  return version;
}

}  // namespace

std::string Version::text() const {
  std::string text = written;
  if (!text.empty()) return text;
  for (const int number : numbers) {
    if (!text.empty()) text += '.';
    text += std::to_string(number);
  }
  return text;
}

std::optional<Version> parse_version(std::string_view output) {
  int depth = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (output[i] == '\n') depth = 0;
    if (output[i] == '(') ++depth;
    if (output[i] == ')' && depth > 0) --depth;
    if (depth > 0 || (i > 0 && !ends_word(output[i - 1]))) continue;
    Version version = leading_numbers(output.substr(output[i] == 'v' || output[i] == 'V' ? i + 1 : i));
    if (version.numbers.size() > 1) return version;
  }
  return std::nullopt;
}

}  // namespace generator
