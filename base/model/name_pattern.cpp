#include "base/model/name_pattern.h"

#include <fnmatch.h>

#include <algorithm>
#include <string_view>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/suggest.h"

namespace base {
namespace {

[[noreturn]] void refuse(const std::string& pattern, const std::vector<std::string>& names) {
  // "layer5" is nearer to "layer4" than to anything in it: modules are candidates too.
  std::vector<std::string_view> candidates;
  for (const std::string_view name : names) {
    candidates.push_back(name);
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
      candidates.push_back(name.substr(0, dot));
  }
  const std::string_view word = std::string_view(pattern).substr(0, pattern.find_first_of("*?["));
  const std::string_view nearest =
      nearest_word(word.ends_with('.') ? word.substr(0, word.size() - 1) : word, candidates);
  throw Error(ErrorKind::kUsage, "nothing in the network has such a name", pattern,
              names.empty()     ? "the network has no parameters at all"
              : nearest.empty() ? format("its names are like {}", names.front())
                                : format("did you mean {}?", nearest));
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  const bool inside =
      !pattern.empty() && name.size() > pattern.size() && name.starts_with(pattern) && name[pattern.size()] == '.';
  return inside || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::vector<std::string> matching_names(const std::vector<std::string>& patterns,
                                        const std::vector<std::string>& names) {
  for (const std::string& pattern : patterns) {
    if (std::ranges::none_of(names, [&](const std::string& name) { return matches(pattern, name); }))
      refuse(pattern, names);
  }
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found), [&](const std::string& name) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, name); });
  });
  return found;
}

}  // namespace base
