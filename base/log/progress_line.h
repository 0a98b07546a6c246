// progress_line.h: how far a task is, as text. Pure, so that every width and every number can be tested; ProgressBar
// decides when it is shown.
#ifndef BASE_LOG_PROGRESS_LINE_H_
#define BASE_LOG_PROGRESS_LINE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace base {

struct Progress {
  std::string label = {};
  std::string note = {};                       // the author's own words, such as "loss 0.123"
  std::int64_t done = 0;                       // may exceed the total
  std::int64_t first = 0;                      // what was done before the clock started; not part of the rate
  std::optional<std::int64_t> total = {};      // empty: not known
  std::chrono::duration<double> elapsed = {};  // since the start
};

/// The share done, rounded down, so that 100 means all of it; a total of zero is all done.
int percent_done(const Progress& progress);

/// "training ━━━━━━────── 120/400  30%  12.3 it/s  0:10, 0:23 left  loss 0.123", at most `columns` wide: what does not
/// fit is cut, the note first. Without a total a spinner turns with each `frame`.
std::string drawn_progress(const Progress& progress, int columns, bool unicode, int frame);

/// "training: 120/400 30%, 12.3 it/s, 0:10 elapsed, 0:23 left, loss 0.123", for a log file.
std::string told_progress(const Progress& progress);

/// "training: stopped at 120/400 (30%) after 0:10".
std::string told_stop(const Progress& progress);

}  // namespace base

#endif  // BASE_LOG_PROGRESS_LINE_H_
