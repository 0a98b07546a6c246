#include "base/log/suggest.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace base {

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

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > 100) return {};  // no typing mistake, and the table above grows with it
  std::string_view nearest;
  std::size_t fewest = word.size() / 3 + 2;  // further away it is another word
  for (const std::string_view candidate : candidates) {
    const std::size_t edits = edit_distance(word, candidate);
    if (edits >= fewest || edits >= candidate.size()) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace base
