#include "base/config/text.h"

#include "base/log/format.h"

namespace base::config {
namespace {

// The length of the UTF-8 sequence at the start of the text, which is not empty; 0 if there is none. Overlong forms and
// surrogates do not count: TOML refuses them.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool too_large = first == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

std::string escape_control(unsigned code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return base::format("\\u{:04X}", code);
  }
}

std::string escape(std::string_view text, std::size_t limit, bool escape_quotes) {
  std::string result;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == limit) return result + "...";
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      result += base::format("\\x{:02X}", unsigned{first});
    } else if (first < 0x20 || first == 0x7F) {
      result += escape_control(first);
    } else if (first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) {  // the controls U+0080 to U+009F
      result += escape_control(static_cast<unsigned char>(text[1]));
    } else {
      if (escape_quotes && (first == '"' || first == '\\')) result += '\\';
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  std::size_t good = 0;
  while (good < text.size()) {
    const std::size_t length = sequence_length(text.substr(good));
    if (length == 0) break;
    good += length;
  }
  return good;
}

std::string printable(std::string_view text, std::size_t limit) {
  return escape(text, limit, false);
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  return '"' + escape(text, limit, true) + '"';
}

std::size_t width(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return characters;
}

std::string wrap(std::string_view text, std::string_view indent, std::size_t start, std::size_t columns) {
  constexpr std::string_view kSpace = " \t\n\r";
  std::string result;
  std::size_t column = start;
  bool first_in_line = true;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return result;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kSpace));
    text.remove_prefix(word.size());
    if (!first_in_line && column + 1 + width(word) > columns) {
      result += '\n';
      result += indent;
      column = width(indent);
      first_in_line = true;
    }
    if (!first_in_line) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width(word);
    first_in_line = false;
  }
}

std::string one_of(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " or " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace base::config
