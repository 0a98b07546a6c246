// screen.h: what a reader sees of bytes written to a terminal: the little of a terminal that Console relies on.
#ifndef TESTS_LOG_SCREEN_H_
#define TESTS_LOG_SCREEN_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace base {

/// How wide a glyph is it asks the C library, since base/log has a table of its own that is to be tested.
class Screen {
 public:
  explicit Screen(std::size_t columns) : columns_(columns) {}
  Screen(std::size_t columns, std::string_view bytes) : Screen(columns) { write(bytes); }

  void write(std::string_view bytes);

  /// From top to bottom, without the blanks at their ends; the line of the cursor is the last one.
  std::vector<std::string> lines() const;
  /// Whether a text went past the right edge onto the next line.
  bool has_wrapped() const { return has_wrapped_; }

 private:
  void put(std::string_view glyph);

  std::size_t columns_;
  std::vector<std::vector<std::string>> rows_{{}};  // of cells, one glyph each; empty for the second half of a wide one
  std::size_t column_ = 0;
  bool has_wrapped_ = false;
};

}  // namespace base

#endif  // TESTS_LOG_SCREEN_H_
