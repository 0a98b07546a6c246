#include "base/dist/slurm.h"

#include <charconv>
#include <cstddef>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/text.h"

namespace base {
namespace {

constexpr std::size_t kMostHosts = std::size_t{1} << 20;  // more than any cluster has: the list is damaged

[[noreturn]] void refuse_list(std::string_view list) {
  throw Error(ErrorKind::kDistributed, "not a list as Slurm writes it", visible_line(list),
              "give one such as login,node[003-007,9]");
}

/// Cuts at the commas that are outside of brackets.
std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  bool is_inside = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[' || list[i] == ']') is_inside = list[i] == '[';
    if (list[i] == ',' && !is_inside) {
      items.push_back(list.substr(start, i - start));
      start = i + 1;
    }
  }
  items.push_back(list.substr(start));
  return items;
}

int number_in(std::string_view digits, std::string_view list) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) refuse_list(list);
  return value;
}

/// "003-005" gives 003, 004, 005: the first bound says how wide the numbers are.
std::vector<std::string> numbers_between(std::string_view range, std::string_view list) {
  const std::size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const int first = number_in(low, list);
  const int last = dash == std::string_view::npos ? first : number_in(range.substr(dash + 1), list);
  if (last < first || static_cast<std::size_t>(last - first) >= kMostHosts) refuse_list(list);
  std::vector<std::string> numbers;
  for (int number = first; number <= last; ++number) numbers.push_back(format("{:0{}}", number, low.size()));
  return numbers;
}

/// Appends every name that "rack[1-2]node[1-3]" stands for.
void expand(const std::string& start, std::string_view rest, std::string_view list, std::vector<std::string>& hosts) {
  const std::size_t open = rest.find('[');
  const std::string name = start + std::string(rest.substr(0, open));
  if (name.find_first_of("] \t\n") != std::string::npos || hosts.size() >= kMostHosts) refuse_list(list);
  if (open == std::string_view::npos) {
    if (name.empty()) refuse_list(list);
    hosts.push_back(name);
    return;
  }
  const std::size_t close = rest.find(']', open);
  if (close == std::string_view::npos) refuse_list(list);
  for (const std::string_view range : items_of(rest.substr(open + 1, close - open - 1))) {
    for (const std::string& number : numbers_between(range, list)) {
      expand(name + number, rest.substr(close + 1), list, hosts);
    }
  }
}

}  // namespace

std::vector<std::string> slurm_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  for (const std::string_view item : items_of(list)) expand("", item, list, hosts);
  return hosts;
}

std::vector<int> slurm_counts(std::string_view list) {
  std::vector<int> counts;
  for (const std::string_view item : items_of(list)) {
    const std::size_t times = item.find("(x");
    const bool is_repeated = times != std::string_view::npos;
    if (is_repeated && !item.ends_with(')')) refuse_list(list);
    const int count = number_in(item.substr(0, times), list);
    const int nodes = is_repeated ? number_in(item.substr(times + 2, item.size() - times - 3), list) : 1;
    if (counts.size() + static_cast<std::size_t>(nodes) > kMostHosts) refuse_list(list);
    counts.insert(counts.end(), static_cast<std::size_t>(nodes), count);
  }
  return counts;
}

}  // namespace base
