// log.h: the log of a program. Short lines on the console, full ones in a file.
//
//     base::log::start({.level = base::log::Level::kDebug, .file = "runs/a/runlogs/rank-0.log"});
//     base::log::info("step {} loss {:.4f}", step, loss);
//
//     12:34:56 step 100 loss 0.1234                                                       the console
//     12:34:57 warn: the learning rate is zero
//     2026-08-01T12:34:56.789+02:00 info  [0/1] thread 4711: step 100 loss 0.1234         the file
//
// Thread-safe; usable before start(), which is when a settings file with a log level has not been read yet.
#ifndef BASE_LOG_LOG_H_
#define BASE_LOG_LOG_H_

#include <atomic>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/log/format.h"

namespace base {
class Console;
class Error;
}  // namespace base

namespace base::log {

enum class Level { kDebug, kInfo, kWarn, kError };

/// debug, info, warn or error; any other text is an Error of the config kind.
Level level_from_text(std::string_view text);
std::string_view level_name(Level level);

struct Options {
  Level level = Level::kInfo;  // lines below it are not written, neither to the console nor to the file
  std::string file = {};  // appended to, its folders are made; empty: no file (a std::filesystem::path fits as well)
  int rank = 0;           // of a distributed run: its lines start with [rank/world_size]
  int world_size = 1;     // 1: no prefix on the console
  Console* console = nullptr;  // empty: Console::standard(); must outlive stop()
};

/// Replaces what an earlier start() set. A file that cannot be opened is an Error of the config kind, and the log stays
/// as it was.
void start(const Options& options);

/// Closes the file; the log goes on as before start(). Not needed to save lines: each is handed to the system as it is
/// written, since the last ones before a crash are those that matter. With that a line costs about 3 microseconds.
void stop();

/// Writes an Error as run_main() does: on the console in its own form, taking away a progress bar, in the file as a
/// line.
void report(const Error& error);

namespace detail {
inline std::atomic<Level> threshold = Level::kInfo;
void write(Level level, std::string_view pattern, std::initializer_list<FormatArgument> arguments);
}  // namespace detail

inline bool is_enabled(Level level) {
  return level >= detail::threshold.load(std::memory_order_relaxed);
}

/// One line of the log, see base::format(); newlines in it are kept and what follows them is indented. Below the level
/// nothing is formatted. A pattern that does not fit its arguments is logged as it is: no run dies of a log line.
template <typename... Args>
void debug(FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... arguments) {
  if (is_enabled(Level::kDebug)) detail::write(Level::kDebug, pattern.text(), {FormatArgument(arguments)...});
}

template <typename... Args>
void info(FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... arguments) {
  if (is_enabled(Level::kInfo)) detail::write(Level::kInfo, pattern.text(), {FormatArgument(arguments)...});
}

template <typename... Args>
void warn(FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... arguments) {
  if (is_enabled(Level::kWarn)) detail::write(Level::kWarn, pattern.text(), {FormatArgument(arguments)...});
}

template <typename... Args>
void error(FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... arguments) {
  if (is_enabled(Level::kError)) detail::write(Level::kError, pattern.text(), {FormatArgument(arguments)...});
}

}  // namespace base::log

#endif  // BASE_LOG_LOG_H_
