#include "base/log/progress_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/log/format.h"
#include "base/log/text.h"

namespace base {
namespace {

constexpr double kLongestSeconds = 1000.0 * 24 * 3600;  // further away "time left" is noise

std::string repeat(std::string_view glyph, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += glyph;
  return text;
}

/// 0:07, 1:02:03, 2d 03:04.
std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(std::clamp(seconds, 0.0, kLongestSeconds));
  const std::int64_t minutes = s / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  if (days > 0) return format("{}d {:02}:{:02}", days, hours % 24, minutes % 60);
  if (hours > 0) return format("{}:{:02}:{:02}", hours, minutes % 60, s % 60);
  return format("{}:{:02}", minutes, s % 60);
}

/// Per second, over the whole time: steadier than the last few steps, and what the time left is reckoned from. Zero if
/// nothing can be said yet.
double rate_of(const Progress& progress) {
  const double steps = static_cast<double>(progress.done) - static_cast<double>(progress.first);
  return progress.elapsed.count() > 0 && steps > 0 ? steps / progress.elapsed.count() : 0;
}

std::string rate_text(double rate) {
  if (rate >= 100) return format("{:.0f} it/s", rate);
  if (rate >= 1) return format("{:.1f} it/s", rate);
  return format("{:.1f} s/it", 1 / rate);
}

/// Empty unless something is left to do and its end can be foreseen.
std::string left_text(const Progress& progress) {
  const double rate = rate_of(progress);
  if (!progress.total || progress.done >= *progress.total || rate == 0) return "";
  const double seconds = static_cast<double>(*progress.total - progress.done) / rate;
  return seconds < kLongestSeconds ? duration_text(std::round(seconds)) + " left" : "";
}

std::string count_text(const Progress& progress) {
  return progress.total ? format("{}/{}", progress.done, *progress.total) : format("{}", progress.done);
}

std::string bar(const Progress& progress, int columns, bool unicode) {
  const double share =
      static_cast<double>(progress.done) / static_cast<double>(std::max<std::int64_t>(*progress.total, 1));
  const int inside = unicode ? columns : columns - 2;
  const int full = percent_done(progress) >= 100 ? inside : static_cast<int>(std::clamp(share, 0.0, 1.0) * inside);
  if (unicode) return repeat("━", full) + repeat("─", inside - full);
  return "[" + repeat("#", full) + repeat("-", inside - full) + "]";
}

}  // namespace

int percent_done(const Progress& progress) {
  const std::int64_t total = progress.total.value_or(0);
  if (total <= 0) return 100;
  const double percent = 100 * static_cast<double>(progress.done) / static_cast<double>(total);
  if (progress.done < total) return static_cast<int>(std::clamp(percent, 0.0, 99.0));
  return static_cast<int>(std::clamp(percent, 100.0, 999.0));
}

std::string drawn_progress(const Progress& progress, int columns, bool unicode, int frame) {
  std::string head = visible_line(progress.label);
  if (!head.empty()) head += ' ';
  std::string tail;
  if (progress.total) {
    // As wide at the start as at the end, so that nothing moves while it counts.
    const std::string total = format("{}", *progress.total);
    tail = format("{:>{}}/{} {:>3}%", progress.done, total.size(), total, percent_done(progress));
  } else {
    tail = format("{} {}", std::string_view("|/-\\").substr(static_cast<std::size_t>(frame) % 4, 1), progress.done);
  }
  if (const double rate = rate_of(progress); rate > 0) tail += "  " + rate_text(rate);
  tail += "  " + duration_text(progress.elapsed.count());
  if (const std::string left = left_text(progress); !left.empty()) tail += ", " + left;

  const int bar_columns = std::clamp(columns / 4, 8, 30);  // depends on the width alone: it must not jump either
  if (progress.total && text_columns(head) + bar_columns + 1 + text_columns(tail) <= columns) {
    head += bar(progress, bar_columns, unicode) + " ";
  }
  if (!progress.note.empty()) tail += "  " + visible_line(progress.note);
  return std::string(cut_text(head + tail, std::max(columns, 0)));
}

std::string told_progress(const Progress& progress) {
  std::string line = visible_line(progress.label);
  if (!line.empty()) line += ": ";
  line += count_text(progress);
  if (progress.total) line += format(" {}%", percent_done(progress));
  if (const double rate = rate_of(progress); rate > 0) line += ", " + rate_text(rate);
  line += ", " + duration_text(progress.elapsed.count()) + " elapsed";
  if (const std::string left = left_text(progress); !left.empty()) line += ", " + left;
  if (!progress.note.empty()) line += ", " + visible_line(progress.note);
  return line;
}

std::string told_stop(const Progress& progress) {
  std::string line = visible_line(progress.label);
  if (!line.empty()) line += ": ";
  line += "stopped at " + count_text(progress);
  if (progress.total) line += format(" ({}%)", percent_done(progress));
  return line + " after " + duration_text(progress.elapsed.count());
}

}  // namespace base
