// progress_bar.h: how far a loop is, on the console.
#ifndef BASE_LOG_PROGRESS_BAR_H_
#define BASE_LOG_PROGRESS_BAR_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/log/progress_line.h"

namespace base {

class Console;

/// A line that is redrawn while a loop runs; log lines are written above it.
///
///     ProgressBar bar({.label = "training", .total = 400});
///     for (...) bar.advance(1, "loss 0.123");
///     bar.finish();
///
/// On a terminal it is redrawn at most ten times a second. In a pipe, a file or CI it is a plain line for every 10 %
/// that took a second or more, and at least every 30 seconds, so that short loops are quiet and long ones show life.
/// It is drawn by advance() itself, without a thread; a call that draws nothing costs well under a microsecond. Several
/// threads may advance one bar. Of two bars at a time on one console the last one drawn is seen; of several ranks, let
/// one have a bar.
class ProgressBar {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  struct Options {
    std::string label = {};
    std::optional<std::int64_t> total = {};        // empty: not known, it only counts
    std::int64_t done = 0;                         // where a resumed run goes on
    Console* console = nullptr;                    // empty: Console::standard(); must outlive the bar
    Clock clock = std::chrono::steady_clock::now;  // tests give their own
  };

  explicit ProgressBar(Options options);
  /// A loop left early, say by an exception, leaves a line that says where it stopped.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Counts `steps` further. A note stays until another one replaces it.
  void advance(std::int64_t steps = 1, std::string_view note = {});

  /// Leaves a last line with the whole time. What is advanced afterwards is not shown; a second call does nothing.
  void finish();
  /// Leaves nothing: for work whose outcome is told by another line.
  void drop();

 private:
  void show(std::chrono::steady_clock::time_point now);

  Console& console_;
  const Clock clock_;
  const std::chrono::steady_clock::time_point started_;

  std::mutex mutex_;  // guards what follows
  Progress progress_;
  std::chrono::steady_clock::time_point next_look_;  // before it nothing is drawn, whatever happens
  std::chrono::steady_clock::time_point last_shown_;
  int last_tenth_ = 0;
  int frame_ = 0;
  bool finished_ = false;
};

}  // namespace base

#endif  // BASE_LOG_PROGRESS_BAR_H_
