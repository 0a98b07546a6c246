#include "base/log/progress_bar.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log/console.h"

namespace base {
namespace {

using std::chrono::steady_clock;

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainAtMost = std::chrono::seconds(1);
constexpr auto kPlainAtLeast = std::chrono::seconds(30);

std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return std::max<std::int64_t>(sum, 0);
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : 0;
}

}  // namespace

ProgressBar::ProgressBar(Options options)
    : console_(options.console != nullptr ? *options.console : Console::standard()),
      clock_(std::move(options.clock)),
      started_(clock_()),
      last_shown_(started_) {
  progress_.label = std::move(options.label);
  progress_.done = progress_.first = std::max<std::int64_t>(options.done, 0);
  if (options.total) progress_.total = std::max<std::int64_t>(*options.total, 0);
  last_tenth_ = percent_done(progress_) / 10;
  next_look_ = started_ + kPlainAtMost;
  if (console_.redraws()) show(started_);
}

ProgressBar::~ProgressBar() {
  try {
    if (progress_.total && progress_.done >= *progress_.total) finish();
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    progress_.elapsed = clock_() - started_;
    console_.end_status(told_stop(progress_));
  } catch (...) {  // no memory for the line: the program has a worse problem, which is on its way to main()
  }
}

void ProgressBar::advance(std::int64_t steps, std::string_view note) {
  const std::lock_guard lock(mutex_);
  progress_.done = add(progress_.done, steps);
  if (!note.empty()) progress_.note = note;
  if (finished_) return;
  if (const steady_clock::time_point now = clock_(); now >= next_look_) show(now);
}

void ProgressBar::finish() {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  progress_.elapsed = clock_() - started_;
  if (console_.redraws() && progress_.total) {  // without a total a bar that stands still says nothing
    console_.end_status(drawn_progress(progress_, console_.width() - 1, console_.has_unicode(), frame_));
  } else {
    console_.end_status(told_progress(progress_));
  }
}

void ProgressBar::drop() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true)) return;
  console_.end_status();
}

void ProgressBar::show(steady_clock::time_point now) {
  progress_.elapsed = now - started_;
  if (console_.redraws()) {
    console_.show_status(drawn_progress(progress_, console_.width() - 1, console_.has_unicode(), frame_++));
    next_look_ = now + kRedraw;
    return;
  }
  const int tenth = percent_done(progress_) / 10;
  const bool is_over = progress_.total && progress_.done >= *progress_.total;  // finish() will say so
  if ((progress_.total && tenth > last_tenth_ && !is_over) || now - last_shown_ >= kPlainAtLeast) {
    console_.write_line(told_progress(progress_));
    last_tenth_ = tenth;
    last_shown_ = now;
    next_look_ = now + kPlainAtMost;
  }
}

}  // namespace base
