// toml_guard.h: looks a text over before toml++ gets it. Internal to base/config.
#ifndef BASE_CONFIG_TOML_GUARD_H_
#define BASE_CONFIG_TOML_GUARD_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace base::config {

/// How deep tables, lists and dotted keys may nest.
inline constexpr std::size_t kDeepest = 100;

struct TomlFlaw {
  std::size_t line;  // from 1
  std::string_view what;
};

/// The first thing in the text, if any, that TOML forbids and that toml++ 3.3 and 3.4 do not report well: they recurse
/// as deep as dotted keys nest, so that a line of 100,000 dots exhausts the stack, and give up without saying where
/// when no name follows the [ of a table, when a bracket closes nothing and at characters outside of quotes that are
/// not ASCII.
std::optional<TomlFlaw> find_flaw(std::string_view toml);

/// The length of the string or comment that the text (which is not empty) starts with; 0 if it starts with neither. An
/// unterminated one ends with its line or with the text.
std::size_t opaque_length(std::string_view text);

}  // namespace base::config

#endif  // BASE_CONFIG_TOML_GUARD_H_
