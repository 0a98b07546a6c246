// toml_parser.h: TOML text to values; the only user of toml++. Internal to base/config.
#ifndef BASE_CONFIG_TOML_PARSER_H_
#define BASE_CONFIG_TOML_PARSER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/literal.h"

namespace base::config {

struct TomlEntry {
  std::string key;  // dotted; a name that needs quotes in TOML keeps them, so that "a.b" is not b in the table a
  Literal value;
  std::size_t line;
};

/// Thrown for text that is not TOML.
struct TomlSyntaxError {
  std::size_t line;  // from 1, as is the column; 0: not known
  std::size_t column;
  std::string description;  // a second part after a colon may quote pieces of the text
};

/// All values in the order of the text. Tables are taken apart, except for empty ones and those that stand where
/// `is_value` wants a value. Any text is safe to parse: it gives values or throws a TomlSyntaxError.
std::vector<TomlEntry> parse_toml(std::string_view text, const std::function<bool(const std::string& key)>& is_value);

/// Reads a TOML list such as [1, 2]; nothing if the text is anything else.
std::optional<Literal::List> parse_toml_list(const std::string& text);

}  // namespace base::config

#endif  // BASE_CONFIG_TOML_PARSER_H_
