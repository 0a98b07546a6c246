#include "base/log/text.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <rapidcheck.h>
#include <wchar.h>

#include <algorithm>
#include <string>

namespace base {
namespace {

std::string utf8(char32_t code) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f))};
  if (code < 0x10000) return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f))};
  return {byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f)), byte(0x80 | (code >> 6 & 0x3f)),
          byte(0x80 | (code & 0x3f))};
}

TEST(VisibleText, KeepsWhatIsReadable) {
  EXPECT_EQ(visible_text("plain text, \\ and \"quotes\""), "plain text, \\ and \"quotes\"");
  EXPECT_EQ(visible_text("größer ━ 漢字 🎉"), "größer ━ 漢字 🎉");
  EXPECT_EQ(visible_text("a\tb"), "a\tb");
}

TEST(VisibleText, ShowsControlCharactersInsteadOfSendingThem) {
  EXPECT_EQ(visible_text("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(visible_text("one\rtwo\x07\x7f"), "one\\x0dtwo\\x07\\x7f");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "31m"),
            "\\u009b31m");
  EXPECT_EQ(visible_text("a\xe2\x80\xae"
                         "b"),
            "a\\u202eb");
}

TEST(VisibleText, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(visible_text("\xff"), "\\xff");
  EXPECT_EQ(visible_text("\x9b"
                         "31m"),
            "\\x9b31m");
  EXPECT_EQ(visible_text("cut \xe2\x82"), "cut \\xe2\\x82");
  EXPECT_EQ(visible_text("\xc0\x9b"), "\\xc0\\x9b") << "an overlong form of ESC's kin";
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a surrogate pair";
  EXPECT_EQ(visible_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(VisibleText, IndentsWhatFollowsANewline) {
  EXPECT_EQ(visible_text("one\ntwo\n", 2), "one\n  two\n  ");
}

TEST(VisibleText, LeavesNothingThatDrivesATerminal) {
  EXPECT_TRUE(rc::check("for any bytes", [](const std::string& bytes) {
    const std::string visible = visible_text(bytes);
    for (const char c : visible)
      RC_ASSERT((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\n' || c == '\t');
    RC_ASSERT(visible.find("\xc2\x9b") == std::string::npos);
    RC_ASSERT(visible_text(visible) == visible);
    RC_ASSERT(visible_line(bytes).find_first_of("\n\t") == std::string::npos);
  }));
}

TEST(TextColumns, CountsGlyphsNotBytes) {
  EXPECT_EQ(text_columns(""), 0);
  EXPECT_EQ(text_columns("loss"), 4);
  EXPECT_EQ(text_columns("━━─"), 3);
  EXPECT_EQ(text_columns("漢字"), 4);
  EXPECT_EQ(text_columns("e\xcc\x81"), 1) << "an e and its accent";
  EXPECT_EQ(text_columns("🎉"), 2);
  EXPECT_EQ(text_columns("\xcc\x81x"), 2) << "an accent over nothing";
}

TEST(TextColumns, AreNeverFewerThanTheCLibraryCounts) {
  const locale_t utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8_locale == nullptr) GTEST_SKIP() << "no C.UTF-8 locale here";
  const locale_t before = uselocale(utf8_locale);
  for (char32_t code = 0x20; code <= 0x10ffff; ++code) {
    const int columns = wcwidth(static_cast<wchar_t>(code));
    ASSERT_GE(text_columns(utf8(code)), columns) << std::hex << static_cast<unsigned>(code);
  }
  uselocale(before);
  freelocale(utf8_locale);
}

TEST(CutText, KeepsWholeGlyphs) {
  EXPECT_EQ(cut_text("━━━", 2), "━━");
  EXPECT_EQ(cut_text("漢字", 3), "漢");
  EXPECT_EQ(cut_text("e\xcc\x81x", 1), "e\xcc\x81");
  EXPECT_EQ(cut_text("abc", 0), "");
  EXPECT_EQ(cut_text("abc", -1), "");
  EXPECT_EQ(cut_text("abc", 99), "abc");
}

TEST(CutText, IsTheLongestStartThatFits) {
  EXPECT_TRUE(rc::check("for any text and width", [](const std::vector<char32_t>& codes) {
    std::string line;
    for (const char32_t code : codes) line += utf8(0x20 + code % 0x20000);
    line = visible_line(line);
    const int columns = *rc::gen::inRange(0, 40);
    const std::string_view cut = cut_text(line, columns);
    RC_ASSERT(line.starts_with(cut));
    RC_ASSERT(text_columns(cut) <= columns);
    RC_ASSERT(cut.size() == line.size() || text_columns(cut) >= columns - 1);
  }));
}

}  // namespace
}  // namespace base
