#include "base/config/duration.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace base {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t milliseconds;
};
constexpr std::array kUnits{Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1}};

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  // The most negative number has no positive counterpart, so the sum is kept without its sign.
  const std::uint64_t limit = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
  std::uint64_t total = 0;
  std::size_t next_unit = 0;
  do {
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::string_view name = text.substr(0, text.find_first_not_of("hms"));
    while (next_unit < kUnits.size() && kUnits[next_unit].name != name) ++next_unit;
    if (next_unit == kUnits.size()) return std::nullopt;
    const std::uint64_t unit = kUnits[next_unit++].milliseconds;
    if (count > (limit - total) / unit) return std::nullopt;
    total += count * unit;
    text.remove_prefix(name.size());
  } while (!text.empty());
  return std::chrono::milliseconds(static_cast<std::int64_t>(negative ? std::uint64_t{0} - total : total));
}

std::string print_duration(std::chrono::milliseconds duration) {
  const std::int64_t count = duration.count();
  std::uint64_t rest =
      count < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  if (rest == 0) return "0s";
  std::string text = count < 0 ? "-" : "";
  for (const Unit& unit : kUnits) {
    if (rest < unit.milliseconds) continue;
    text += std::to_string(rest / unit.milliseconds);
    text += unit.name;
    rest %= unit.milliseconds;
  }
  return text;
}

}  // namespace base
