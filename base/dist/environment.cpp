#include "base/dist/environment.h"

#include <unistd.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/text.h"

namespace base {
namespace {

constexpr int kShownColumns = 200;  // of a variable in a message

}  // namespace

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

LauncherVariables::LauncherVariables(const Environment& environment, std::string launcher, std::string sign)
    : environment_(environment), launcher_(std::move(launcher)), sign_(std::move(sign)) {}

bool LauncherVariables::has(const std::string& name) const {
  const auto found = environment_.find(name);
  return found != environment_.end() && !found->second.empty();
}

std::string LauncherVariables::first_of(std::initializer_list<std::string> names) const {
  for (const std::string& name : names) {
    if (has(name)) return name;
  }
  return "";
}

std::string LauncherVariables::text(const std::string& name) const {
  if (!has(name)) fail(format("{} sets {}, which is missing", launcher_, name), {sign_});
  return environment_.at(name);
}

int LauncherVariables::number(const std::string& name, int min, int max) const {
  const std::string digits = text(name);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < min || value > max) {
    fail(format("not a whole number from {} to {}", min, max), {name});
  }
  return value;
}

void LauncherVariables::expect(bool agrees, const std::string& otherwise,
                               std::initializer_list<std::string> names) const {
  if (!agrees) fail(otherwise, names);
}

void LauncherVariables::fail(const std::string& what, std::initializer_list<std::string> names,
                             const std::string& fix) const {
  std::string values;
  for (const std::string& name : names) {
    const auto found = environment_.find(name);
    const std::string value = visible_line(found == environment_.end() ? "" : found->second);
    values += format("{}{}={}", values.empty() ? "" : " ", name, cut_text(value, kShownColumns));
  }
  throw Error(ErrorKind::kDistributed, what, values,
              fix.empty() ? format("leave these variables to {}, or unset {} to run alone", launcher_, sign_) : fix);
}

}  // namespace base
