#include "base/config/environment.h"

#include <algorithm>
#include <cctype>

#include "base/config/text.h"

namespace base::config {

std::optional<std::string> variable(const char* const* environment, std::string_view name) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (entry.size() > name.size() + 1 && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

std::vector<Given> read_environment(const char* const* environment, std::string_view prefix) {
  std::vector<Given> given;
  if (prefix.empty()) return given;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with(prefix) || equals == std::string_view::npos || equals < prefix.size()) continue;
    std::string key;
    for (const char c : entry.substr(prefix.size(), equals - prefix.size())) {
      if (c == '_' && key.ends_with('_')) {
        key.back() = '.';
      } else {
        key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    given.push_back({key,
                     {Literal::Word{std::string(entry.substr(equals + 1))}},
                     printable(entry.substr(0, equals)),
                     SourceKind::kEnvironment});
  }
  // The order of an environment is nobody's decision, so it must not decide anything.
  std::ranges::sort(given, {}, &Given::where);
  return given;
}

std::string variable_name(std::string_view prefix, std::string_view key) {
  std::string name(prefix);
  for (const char c : key) {
    if (c == '.') {
      name += "__";
    } else {
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return name;
}

}  // namespace base::config
