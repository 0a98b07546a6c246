#include "base/config/suggestion.h"

#include <algorithm>
#include <cstddef>

#include "base/log/suggest.h"

namespace base::config {
namespace {

constexpr std::size_t kLongestKey = 128;

std::string_view last_name(std::string_view key) {
  return key.substr(key.rfind('.') + 1);  // no dot: npos + 1 is 0
}

double relative_distance(std::string_view from, std::string_view to) {
  const std::size_t longer = std::max({from.size(), to.size(), std::size_t{1}});
  return static_cast<double>(edit_distance(from, to)) / static_cast<double>(longer);
}

}  // namespace

double key_distance(std::string_view key, std::string_view declared) {
  return std::min(relative_distance(key, declared), 0.1 + relative_distance(last_name(key), last_name(declared)));
}

std::string nearest_key(std::string_view key, std::span<const std::string> declared) {
  key = key.substr(0, kLongestKey);
  const auto nearest = std::ranges::min_element(
      declared, {}, [&](const std::string& candidate) { return key_distance(key, candidate); });
  return nearest == declared.end() ? std::string() : *nearest;
}

}  // namespace base::config
