// environment.h: settings from environment variables. Internal to base/config.
#ifndef BASE_CONFIG_ENVIRONMENT_H_
#define BASE_CONFIG_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/literal.h"

namespace base::config {

/// The value of a variable; nothing if it is not set or empty.
std::optional<std::string> variable(const char* const* environment, std::string_view name);

/// What every variable with the prefix gives, sorted by name; none if the prefix is empty. Keys are in lower case, with
/// dots for double underscores.
std::vector<Given> read_environment(const char* const* environment, std::string_view prefix);

/// The variable that gives this key: SCAFFOLD_SET_OPTIMIZER__LEARNING_RATE.
std::string variable_name(std::string_view prefix, std::string_view key);

}  // namespace base::config

#endif  // BASE_CONFIG_ENVIRONMENT_H_
