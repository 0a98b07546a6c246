#include "base/log/suggest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace base {
namespace {

std::size_t count_edits(std::string_view a, std::string_view b) {
  // Rows of the usual table: edits from the first i (and i - 1, i - 2) letters of a to the first j of b.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > 100) return {};  // no typing mistake, and the table above grows with it
  std::string_view nearest;
  std::size_t fewest = word.size() / 3 + 2;  // further away it is another word
  for (const std::string_view candidate : candidates) {
    const std::size_t edits = count_edits(word, candidate);
    if (edits >= fewest || edits >= candidate.size()) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace base
