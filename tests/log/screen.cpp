#include "tests/log/screen.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <wchar.h>

#include <cwchar>

namespace base {
namespace {

std::size_t columns_of(std::string_view glyph) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) return 1;
  const locale_t before = uselocale(utf8);
  wchar_t code = 0;
  std::mbstate_t state{};
  const bool is_valid = std::mbrtowc(&code, glyph.data(), glyph.size(), &state) <= glyph.size();
  const int columns = is_valid ? wcwidth(code) : 1;
  uselocale(before);
  return columns < 0 ? 1 : static_cast<std::size_t>(columns);
}

}  // namespace

void Screen::write(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t length = 1;
    if (bytes[0] == '\r') {
      column_ = 0;
    } else if (bytes[0] == '\n') {
      rows_.emplace_back();
      column_ = 0;
    } else if (bytes[0] == '\x1b') {
      length = bytes.find_first_of("Km") + 1;
      const std::string_view sequence = bytes.substr(0, length);
      if (sequence == "\x1b[K") {
        if (rows_.back().size() > column_) rows_.back().resize(column_);
      } else if (sequence.size() < 3 || sequence.back() != 'm') {
        FAIL() << "an escape sequence that nobody should write here: " << testing::PrintToString(std::string(bytes));
      }
    } else {
      while (length < bytes.size() && (static_cast<unsigned char>(bytes[length]) & 0xc0) == 0x80) ++length;
      put(bytes.substr(0, length));
    }
    bytes.remove_prefix(length);
  }
}

void Screen::put(std::string_view glyph) {
  const std::size_t width = columns_of(glyph);
  if (width == 0) {
    if (column_ > 0) rows_.back()[column_ - 1] += glyph;
    return;
  }
  if (column_ + width > columns_) {
    has_wrapped_ = true;
    rows_.emplace_back();
    column_ = 0;
  }
  if (rows_.back().size() < column_ + width) rows_.back().resize(column_ + width, " ");
  rows_.back()[column_] = glyph;
  if (width == 2) rows_.back()[column_ + 1].clear();
  column_ += width;
}

std::vector<std::string> Screen::lines() const {
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line;
    for (const std::string& cell : row) line += cell;
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

}  // namespace base
