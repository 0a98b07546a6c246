#include "base/log/format.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include "base/log/error.h"

namespace base {

std::string format_arguments(std::string_view pattern, std::initializer_list<FormatArgument> arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArgument& argument : arguments) {
    std::visit([&](const auto& value) { store.push_back(value); }, argument.value());
  }
  try {
    return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), store);
  } catch (const fmt::format_error& error) {
    throw Error(ErrorKind::kInternal, std::string("a text pattern does not fit its values (") + error.what() + ")",
                std::string(pattern), "");
  }
}

}  // namespace base
