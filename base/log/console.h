// console.h: the one place that writes to the terminal. Log lines and a progress bar share a screen only if somebody
// knows of both: Console takes the bar away, writes the line and puts the bar back.
#ifndef BASE_LOG_CONSOLE_H_
#define BASE_LOG_CONSOLE_H_

#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

namespace base {

enum class Color { kNone, kRed, kGreen, kYellow, kGray };

/// One output stream, a terminal or not, with at most one status line at its end.
///
///     Console& console = Console::standard();
///     console.show_status("training 3/400");
///     console.write_line({{"warn", Color::kYellow}, {": the loss is not finite"}});
///
/// Each call is one write(2), so lines of several threads (and, in practice, processes) do not interleave. A stream
/// that cannot be written to is given up silently: a run must not die because its viewer did. Thread-safe.
class Console {
 public:
  /// What of the process's environment decides how output looks; tests give their own.
  struct Environment {
    std::string term = {};      // $TERM
    std::string columns = {};   // $COLUMNS, the width of a terminal that does not tell its own
    std::string no_color = {};  // $NO_COLOR, see no-color.org
    std::string ci = {};        // $CI, set by every continuous-integration service
    std::string locale = {};    // $LC_ALL, else $LC_CTYPE, else $LANG

    static Environment of_process();
  };

  /// Text from anywhere (it passes visible_text()) and its colour where colours are used.
  struct Piece {
    std::string_view text;
    Color color = Color::kNone;
  };

  /// Does not own the descriptor.
  explicit Console(int descriptor, const Environment& environment = Environment::of_process());
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Standard error. Never destroyed, since destructors of globals may still log.
  static Console& standard();

  bool is_terminal() const { return is_terminal_; }
  /// A terminal that nobody watches (CI) gets plain lines, since its record is read as a file.
  bool redraws() const { return is_terminal_ && !is_ci_; }
  bool has_color() const { return has_color_; }
  /// Whether glyphs beyond ASCII can be expected to show.
  bool has_unicode() const { return has_unicode_; }
  /// In columns, as of now.
  int width() const;

  /// Writes a line (a newline is added) above the status line.
  void write_line(std::initializer_list<Piece> pieces);
  void write_line(std::string_view text) { write_line({Piece{text}}); }

  /// Shows a line of text in place of the last status, cut to the width. Does nothing unless redraws().
  void show_status(std::string_view text);
  /// Takes the status line away; the second form leaves a line in its place.
  void end_status();
  void end_status(std::string_view last_line);

 private:
  std::string compose(std::initializer_list<Piece> pieces) const;
  std::string drawn_status() const;
  void write(std::string_view bytes);

  const int descriptor_;
  bool is_terminal_ = false;
  bool is_ci_ = false;
  bool has_color_ = false;
  bool has_unicode_ = false;
  int fallback_width_ = 80;

  std::mutex mutex_;  // guards what follows, and the order of writes
  std::string status_;
  bool status_shown_ = false;
  bool broken_ = false;
};

}  // namespace base

#endif  // BASE_LOG_CONSOLE_H_
