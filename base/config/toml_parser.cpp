#include "base/config/toml_parser.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/config/text.h"
#include "base/config/toml_guard.h"
#include "base/log/format.h"

namespace base::config {
namespace {

struct TomlAssertion {};

[[noreturn]] void fail_assertion() {
  throw TomlAssertion();
}

}  // namespace
}  // namespace base::config

// Damaged text can fail toml++'s own assertions (2024-01-01tx does), which would end the process, or be undefined
// behaviour where they are compiled out. Here they throw in every build.
#undef NDEBUG
#define TOML_ASSERT(expression) (static_cast<bool>(expression) ? static_cast<void>(0) : base::config::fail_assertion())

#include <toml++/toml.h>

namespace base::config {
namespace {

// toml++ 3.3 and 3.4 run into undefined behaviour on some characters that are not ASCII, such as é in the middle of a
// number. So they get to see none: each byte of such a character is written as in ~C3, and a ~ itself as ~7E.
void append_ascii(std::string& ascii, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80 || c == '~') {
    ascii += base::format("~{:02X}", unsigned{byte});
  } else {
    ascii += c;
  }
}

// The escapes that stand for a ~ in a string.
std::size_t tilde_escape_length(std::string_view text) {
  for (const std::string_view escape : {"\\u007E", "\\u007e", "\\U0000007E", "\\U0000007e"}) {
    if (text.starts_with(escape)) return escape.size();
  }
  return 0;
}

std::string to_ascii(std::string_view text) {
  std::string ascii;
  ascii.reserve(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = begin + std::max<std::size_t>(opaque_length(text.substr(begin)), 1);
    const bool escapes = text[begin] == '"';
    while (begin < end) {
      const std::size_t tilde = escapes ? tilde_escape_length(text.substr(begin)) : 0;
      if (tilde > 0) {
        ascii += text.substr(begin, tilde);
        ascii += "7E";
      } else {
        append_ascii(ascii, text[begin]);
        const bool escaped = escapes && text[begin] == '\\' && begin + 1 < end;
        if (escaped) append_ascii(ascii, text[++begin]);
      }
      begin += std::max<std::size_t>(tilde, 1);
    }
  }
  return ascii;
}

std::string from_ascii(std::string_view ascii) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (std::size_t i = 0; i < ascii.size(); ++i) {
    const std::string_view digits = ascii.substr(i + 1, 2);
    if (ascii[i] == '~' && digits.size() == 2 && digits.find_first_not_of(kDigits) == std::string_view::npos) {
      text += static_cast<char>(kDigits.find(digits[0]) * 16 + kDigits.find(digits[1]));
      i += 2;
    } else {
      text += ascii[i];
    }
  }
  return text;
}

// The column in the text of a column in its ASCII form.
std::size_t original_column(std::string_view ascii, std::size_t line, std::size_t column) {
  for (; line > 1; --line) ascii.remove_prefix(std::min(ascii.find('\n'), ascii.size() - 1) + 1);
  std::string_view before = ascii.substr(0, column - 1);
  // An escape may be cut off at the end: it stands for the character that the column points at.
  const std::size_t last = before.rfind('~');
  if (last != std::string_view::npos && before.size() - last < 3) before = before.substr(0, last);
  return width(from_ascii(before)) + 1;
}

toml::table parse(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the mark that some editors put in front
  if (const std::size_t good = utf8_length(text); good < text.size()) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(text.substr(0, good), '\n'));
    throw TomlSyntaxError{lines + 1, 0, "it is not UTF-8"};
  }
  if (const auto flaw = find_flaw(text)) throw TomlSyntaxError{flaw->line, 0, std::string(flaw->what)};
  const std::string ascii = to_ascii(text);
  try {
    return toml::parse(std::string_view(ascii));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw TomlSyntaxError{at.line, original_column(ascii, at.line, at.column), from_ascii(error.description())};
  } catch (const TomlAssertion&) {
    throw TomlSyntaxError{0, 0, "it is damaged"};
  }
}

Literal to_literal(const toml::node& node) {
  if (const auto* boolean = node.as_boolean()) return {boolean->get()};
  if (const auto* integer = node.as_integer()) return {integer->get()};
  if (const auto* number = node.as_floating_point()) return {number->get()};
  if (const auto* text = node.as_string()) return {from_ascii(text->get())};
  if (node.is_table()) return {Literal::Table{}};
  if (const auto* array = node.as_array()) {
    Literal::List list;
    for (const toml::node& element : *array) list.push_back(to_literal(element));
    return {list};
  }
  return {Literal::Moment{}};
}

std::string as_key(const std::string& name) {
  constexpr std::string_view kBare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool bare = !name.empty() && name.find_first_not_of(kBare) == std::string::npos;
  return bare ? name : in_quotes(name);
}

struct PlacedEntry {
  toml::source_position position;
  TomlEntry entry;
};

void flatten(const toml::table& table, const std::string& prefix,
             const std::function<bool(const std::string& key)>& is_value, std::vector<PlacedEntry>& entries) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + as_key(from_ascii(name.str()));
    const toml::table* inner = node.as_table();
    if (inner != nullptr && !inner->empty() && !is_value(key)) {
      flatten(*inner, key + '.', is_value, entries);
    } else {
      const toml::source_position position = name.source().begin;
      entries.push_back({position, {key, to_literal(node), position.line}});
    }
  }
}

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, const std::function<bool(const std::string& key)>& is_value) {
  std::vector<PlacedEntry> placed;
  flatten(parse(text), "", is_value, placed);
  // toml++ sorts by key.
  std::ranges::sort(placed, {},
                    [](const PlacedEntry& entry) { return std::tuple(entry.position.line, entry.position.column); });
  std::vector<TomlEntry> entries;
  entries.reserve(placed.size());
  for (PlacedEntry& entry : placed) entries.push_back(std::move(entry.entry));
  return entries;
}

std::optional<Literal::List> parse_toml_list(const std::string& text) {
  try {
    const toml::table table = parse("list = " + text);
    const toml::array* array = table["list"].as_array();
    if (array == nullptr || table.size() != 1) return std::nullopt;
    return std::get<Literal::List>(to_literal(*array).value);
  } catch (const TomlSyntaxError&) {
    return std::nullopt;
  }
}

}  // namespace base::config
