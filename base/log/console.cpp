#include "base/log/console.h"

#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <ctime>

#include "base/log/text.h"

namespace base {
namespace {

constexpr std::string_view kErase = "\r\x1b[K";  // to the start of the line, then clear to its end

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string_view escape_of(Color color) {
  switch (color) {
    case Color::kNone:
      break;
    case Color::kRed:
      return "\x1b[31m";
    case Color::kGreen:
      return "\x1b[32m";
    case Color::kYellow:
      return "\x1b[33m";
    case Color::kGray:
      return "\x1b[90m";
  }
  return "";
}

bool names_utf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(), [](unsigned char c) { return std::tolower(c); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

/// Keeps SIGPIPE away from a thread while it writes: the signal would end the process, and to ignore it for good is a
/// decision of main(), not of a library.
class SigpipeHeld {
 public:
  SigpipeHeld() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~SigpipeHeld() {
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&sigpipe_, nullptr, &at_once) == -1 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeHeld(const SigpipeHeld&) = delete;
  SigpipeHeld& operator=(const SigpipeHeld&) = delete;

 private:
  sigset_t sigpipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

Console::Environment Console::Environment::of_process() {
  std::string locale = variable("LC_ALL");
  if (locale.empty()) locale = variable("LC_CTYPE");
  if (locale.empty()) locale = variable("LANG");
  return {variable("TERM"), variable("COLUMNS"), variable("NO_COLOR"), variable("CI"), locale};
}

Console::Console(int descriptor, const Environment& environment) : descriptor_(descriptor) {
  const std::string& term = environment.term;
  is_terminal_ = isatty(descriptor) == 1 && !term.empty() && term != "dumb";
  is_ci_ = !environment.ci.empty() && environment.ci != "false";
  has_color_ = is_terminal_ && !is_ci_ && environment.no_color.empty();
  has_unicode_ = names_utf8(environment.locale) && term != "linux";  // that one's font has 256 glyphs
  const std::string& columns = environment.columns;
  int width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (width > 0) fallback_width_ = width;
}

Console& Console::standard() {
  static Console& console = *new Console(STDERR_FILENO);
  return console;
}

int Console::width() const {
  winsize size{};
  if (is_terminal_ && ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return fallback_width_;
}

void Console::write_line(std::initializer_list<Piece> pieces) {
  const std::string line = compose(pieces) + '\n';
  const std::lock_guard lock(mutex_);
  write(status_shown_ ? std::string(kErase) + line + drawn_status() : line);
}

void Console::show_status(std::string_view text) {
  if (!redraws()) return;
  const std::lock_guard lock(mutex_);
  status_ = visible_line(text);
  status_shown_ = true;
  // Written over the old one and only then cleared behind: to clear first makes it flicker.
  write(std::string("\r").append(drawn_status()).append("\x1b[K"));
}

void Console::end_status() {
  const std::lock_guard lock(mutex_);
  if (status_shown_) write(kErase);
  status_shown_ = false;
}

void Console::end_status(std::string_view last_line) {
  const std::string line = visible_text(last_line) + '\n';
  const std::lock_guard lock(mutex_);
  write(status_shown_ ? std::string(kErase) + line : line);
  status_shown_ = false;
}

std::string Console::compose(std::initializer_list<Piece> pieces) const {
  std::string line;
  for (const Piece& piece : pieces) {
    const std::string_view escape = has_color_ ? escape_of(piece.color) : "";
    line += escape;
    line += visible_text(piece.text);
    if (!escape.empty()) line += "\x1b[0m";
  }
  return line;
}

std::string Console::drawn_status() const {
  // The last column stays free: a cursor that has filled it hangs between two lines, where "\r" is not the same
  // everywhere.
  return std::string(cut_text(status_, width() - 1));
}

void Console::write(std::string_view bytes) {
  if (broken_) return;
  const SigpipeHeld held;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return;  // no error, no progress: nothing a second try would change
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Somebody made the stream non-blocking (it is shared with the shell's other programs): wait as if it were not.
      pollfd writable{descriptor_, POLLOUT, 0};
      poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      broken_ = errno == EPIPE || errno == EBADF;
      return;
    }
  }
}

}  // namespace base
