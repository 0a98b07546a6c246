#include "base/config/suggestion.h"

#include <algorithm>
#include <vector>

namespace base::config {
namespace {

constexpr std::size_t kLongestKey = 128;

std::string_view last_name(std::string_view key) {
  return key.substr(key.rfind('.') + 1);  // no dot: npos + 1 is 0
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Three rows of the matrix of distances between beginnings: a swap looks two rows back.
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> previous(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::swap(before, previous);
    std::swap(previous, row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, previous[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[to.size()];
}

std::size_t key_distance(std::string_view key, std::string_view declared) {
  return std::min(edit_distance(key, declared), 1 + edit_distance(last_name(key), last_name(declared)));
}

std::string nearest_key(std::string_view key, std::span<const std::string> declared) {
  key = key.substr(0, kLongestKey);
  const auto nearest = std::ranges::min_element(
      declared, {}, [&](const std::string& candidate) { return key_distance(key, candidate); });
  return nearest == declared.end() ? std::string() : *nearest;
}

}  // namespace base::config
