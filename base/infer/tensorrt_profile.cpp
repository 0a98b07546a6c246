#include "base/infer/tensorrt_profile.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::int64_t kLargestBatch = 64;
// TensorRT counts the elements of an axis in 32 bits.
constexpr std::int64_t kLargestAxis = std::numeric_limits<std::int32_t>::max();

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The piece before the separator, which is taken off `text`.
std::string_view take_piece(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

std::optional<AxisRange> range_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  if (text.empty() || text.back() == ':') return std::nullopt;
  while (!text.empty()) {
    const std::optional<std::int64_t> value = number(take_piece(text, ':'));
    if (!value) return std::nullopt;
    numbers.push_back(*value);
  }
  if (numbers.size() == 1) return AxisRange{numbers[0], numbers[0], numbers[0]};
  if (numbers.size() == 3) return AxisRange{numbers[0], numbers[1], numbers[2]};
  return std::nullopt;
}

bool is_in_order(const AxisRange& range) {
  return 1 <= range.min && range.min <= range.best && range.best <= range.max && range.max <= kLargestAxis;
}

AxisRange range_of_axis(const Axis& axis, const std::map<std::string, AxisRange>& axes) {
  if (!axis.is_dynamic()) return {axis.size, axis.size, axis.size};
  if (const auto found = axes.find(axis.name); found != axes.end()) return found->second;
  const std::int64_t example = std::max<std::int64_t>(1, axis.size);
  return {1, example, axis.name == "batch" ? std::max(example, kLargestBatch) : example};
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t size : shape) text.append(text.empty() ? "" : "x").append(std::to_string(size));
  return text.empty() ? "scalar" : text;
}

}  // namespace

std::map<std::string, AxisRange> axis_ranges_from_text(std::string_view text) {
  std::map<std::string, AxisRange> axes;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view entry = take_piece(rest, ',');
    const std::string_view whole = entry;
    const std::string_view name = take_piece(entry, '=');
    const std::optional<AxisRange> range = range_of(entry);
    if (name.empty() || !range || !is_in_order(*range)) {
      throw Error(ErrorKind::kUsage, "this is no range of an axis", std::string(whole),
                  "give the axis with its smallest, best and largest size: batch=1:8:64");
    }
    if (!axes.emplace(name, *range).second) {
      throw Error(ErrorKind::kUsage, "an axis has two ranges", std::string(name), "give one");
    }
  }
  return axes;
}

std::vector<ShapeRange> make_profile(const Signature& signature, const std::map<std::string, AxisRange>& axes) {
  std::vector<std::string> problems;
  std::vector<std::string> known;
  std::vector<ShapeRange> profile;
  for (const TensorSpec& spec : signature.inputs) {
    ShapeRange& shapes = profile.emplace_back(ShapeRange{.input = spec.name});
    for (const Axis& axis : spec.axes) {
      if (axis.is_dynamic()) known.push_back(axis.name);
      const AxisRange range = range_of_axis(axis, axes);
      shapes.min.push_back(range.min);
      shapes.best.push_back(range.best);
      shapes.max.push_back(range.max);
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  for (const auto& [name, range] : axes) {
    if (!std::binary_search(known.begin(), known.end(), name)) {
      problems.push_back(format("no dynamic axis is called {} (there is: {})", name, names.empty() ? "none" : names));
    } else if (!is_in_order(range)) {
      problems.push_back(
          format("{}={}:{}:{} is not in order from 1 to {}", name, range.min, range.best, range.max, kLargestAxis));
    }
  }
  if (!problems.empty()) {
    std::string text;
    for (const std::string& problem : problems) text += (text.empty() ? "" : "; ") + problem;
    throw Error(ErrorKind::kUsage, "the model has no such shapes", text,
                "give each dynamic axis its smallest, best and largest size: batch=1:8:64");
  }
  return profile;
}

std::string describe(std::span<const ShapeRange> profile) {
  std::string text;
  for (const ShapeRange& shapes : profile) {
    text += format("{}{} {} {} {}", text.empty() ? "" : "\n", shapes.input, shape_text(shapes.min),
                   shape_text(shapes.best), shape_text(shapes.max));
  }
  return text;
}

void check_shapes(std::span<const ShapeRange> profile, std::span<const TensorView* const> inputs) {
  std::string problems;
  for (std::size_t i = 0; i < profile.size(); ++i) {
    const ShapeRange& shapes = profile[i];
    const std::vector<std::int64_t>& shape = inputs[i]->shape;
    bool fits = shape.size() == shapes.min.size();
    for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
      fits = shapes.min[axis] <= shape[axis] && shape[axis] <= shapes.max[axis];
    }
    if (fits) continue;
    problems += format("{}{} is {}, not from {} to {}", problems.empty() ? "" : "; ", shapes.input, shape_text(shape),
                       shape_text(shapes.min), shape_text(shapes.max));
  }
  if (problems.empty()) return;
  throw Error(ErrorKind::kUsage, "the plan was built for other shapes", problems,
              "build it for these: give the axis a range, such as batch=1:8:64");
}

}  // namespace base
