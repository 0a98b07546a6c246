// text.h: text on its way to a terminal. Text that comes from data (a file name, a label, another program's output) may
// hold bytes that would move the cursor or change the title: they are made visible, and only then measured and cut.
#ifndef BASE_LOG_TEXT_H_
#define BASE_LOG_TEXT_H_

#include <string>
#include <string_view>

namespace base {

/// The text with nothing left in it that drives a terminal: control characters become `\x1b`, those of Unicode (and
/// the marks that reverse the direction of text) `\u009b`, bytes that are no UTF-8 `\xff`. Tabs stay, and newlines
/// stay too, each followed by `indent` spaces. Applying it twice changes nothing more, unless it indents.
std::string visible_text(std::string_view text, int indent = 0);

/// visible_text() on one line: newlines and tabs become spaces.
std::string visible_line(std::string_view text);

/// How many columns of a terminal a visible line takes: 2 for East Asian characters and emoji, 0 for combining marks.
/// Where terminals disagree it is the larger number, so that a line cut to a width never wraps.
int text_columns(std::string_view line);

/// As much of the start of a visible line as fits into `columns`.
std::string_view cut_text(std::string_view line, int columns);

}  // namespace base

#endif  // BASE_LOG_TEXT_H_
