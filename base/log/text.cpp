#include "base/log/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>

#include "base/log/format.h"

namespace base {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // false: one byte that is no UTF-8
};

/// The first character of a text that is not empty. Overlong forms and surrogates are not valid.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead, 1, false};
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const char32_t smallest = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < smallest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {lead, 1, false};
  return {code, bytes, true};
}

struct Range {
  char32_t first;
  char32_t last;
};

bool in(std::span<const Range> ranges, char32_t code) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                      [](char32_t c, const Range& range) { return c < range.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

// Direction marks can make a line read as something else than it is; C1 controls are what ESC sequences abbreviate.
constexpr auto kDrivesTerminal = std::to_array<Range>({{0x0, 0x1f}, {0x7f, 0x9f}, {0x202a, 0x202e}, {0x2066, 0x2069}});

// The marks every terminal lays over the character before them. Rarer ones are counted as a column.
constexpr auto kNoColumn = std::to_array<Range>({{0x300, 0x36f},
                                                 {0x483, 0x489},
                                                 {0x591, 0x5bd},
                                                 {0x200b, 0x200f},
                                                 {0x20d0, 0x20f0},
                                                 {0xfe20, 0xfe2f},
                                                 {0xe0100, 0xe01ef}});

// East Asian wide characters and emoji, whole blocks where only part of a block is wide.
constexpr auto kTwoColumns = std::to_array<Range>(
    {{0x1100, 0x115f},   {0x231a, 0x231b},  {0x2329, 0x232a},   {0x23e9, 0x23f3},   {0x25fd, 0x25fe},
     {0x2614, 0x2615},   {0x2630, 0x2637},  {0x2648, 0x2653},   {0x267f, 0x26fd},   {0x2705, 0x2705},
     {0x270a, 0x270b},   {0x2728, 0x2728},  {0x274c, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27bf},
     {0x2b1b, 0x2b1c},   {0x2b50, 0x2b55},  {0x2e80, 0x303e},   {0x3041, 0x4dff},   {0x4e00, 0xa4cf},
     {0xa960, 0xa97f},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},
     {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x16fe0, 0x18dff}, {0x1aff0, 0x1b2ff}, {0x1d300, 0x1d376},
     {0x1f000, 0x1faff}, {0x20000, 0x3fffd}});

int columns_of(char32_t code, bool is_first) {
  if (code < 0x300) return 1;
  if (in(kNoColumn, code)) return is_first ? 1 : 0;  // some terminals give a mark that has nothing to lie over a column
  return in(kTwoColumns, code) ? 2 : 1;
}

}  // namespace

std::string visible_text(std::string_view text, int indent) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.valid || (character.code < 0x80 && character.code != '\t' && character.code != '\n' &&
                             in(kDrivesTerminal, character.code))) {
      visible += format("\\x{:02x}", static_cast<unsigned>(character.code));
    } else if (character.code >= 0x80 && in(kDrivesTerminal, character.code)) {
      visible += format("\\u{:04x}", static_cast<unsigned>(character.code));
    } else {
      visible += text.substr(0, character.bytes);
      if (character.code == '\n') visible.append(static_cast<std::size_t>(indent), ' ');
    }
    text.remove_prefix(character.bytes);
  }
  return visible;
}

std::string visible_line(std::string_view text) {
  std::string line = visible_text(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

int text_columns(std::string_view line) {
  int columns = 0;
  for (std::size_t at = 0; at < line.size();) {
    const Character character = first_character(line.substr(at));
    columns += columns_of(character.code, at == 0);
    at += character.bytes;
  }
  return columns;
}

std::string_view cut_text(std::string_view line, int columns) {
  std::size_t kept = 0;
  while (kept < line.size()) {
    const Character character = first_character(line.substr(kept));
    columns -= columns_of(character.code, kept == 0);
    if (columns < 0) break;
    kept += character.bytes;
  }
  return line.substr(0, kept);
}

}  // namespace base
