// Text as messages, help and files show it.
#include "base/config/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <sstream>
#include <string>

namespace {

using base::config::in_quotes;
using base::config::one_of;
using base::config::printable;
using base::config::valid_utf8;
using base::config::wrap;

TEST(ValidUtf8, AcceptsTextOfAllLengths) {
  for (const std::string text : {"", "abc", "\x7f", "\xC2\x80", "é", "€", "\xED\x9F\xBF", "\xEE\x80\x80",
                                 "\xEF\xBF\xBF", "😀", "\xF4\x8F\xBF\xBF", "aé€😀z"}) {
    EXPECT_TRUE(valid_utf8(text)) << printable(text);
  }
}

TEST(ValidUtf8, RefusesBrokenOverlongAndSurrogateSequences) {
  for (const std::string text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2x", "\xE0\x9F\xBF", "\xE2\x82",
                                 "\xE2\x82x", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                                 "\xF5\x80\x80\x80", "\xFF", "abc\xFF", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(valid_utf8(text)) << printable(text);
  }
}

TEST(Printable, ShowsControlCharactersAndBrokenBytesAsEscapes) {
  const std::map<std::string, std::string> shown{
      {"plain é 😀", "plain é 😀"},
      {"a\nb\tc\rd", R"(a\nb\tc\rd)"},
      {"\x1b[31m", "\\u001B[31m"},
      {"\x7f", "\\u007F"},
      {"\xC2\x9B", "\\u009B"},
      {"\xFFx\x80", "\\xFFx\\x80"},
      {R"(say "hi" \)", R"(say "hi" \)"},
      {std::string(1, '\0'), "\\u0000"},
  };
  for (const auto& [text, expected] : shown) EXPECT_EQ(printable(text), expected);
}

TEST(Printable, IsCutAfterTheLimit) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdef", 5), "abcde...");
  EXPECT_EQ(printable("äöüäöü", 3), "äöü...");
  EXPECT_EQ(printable("\n\n\n", 2), "\\n\\n...");
}

TEST(InQuotes, EscapesQuotesAndBackslashes) {
  EXPECT_EQ(in_quotes(""), R"("")");
  EXPECT_EQ(in_quotes(R"(say "hi" \)"), R"("say \"hi\" \\")");
  EXPECT_EQ(in_quotes("a\nb"), R"("a\nb")");
  EXPECT_EQ(in_quotes("abcdef", 3), R"("abc...")");
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrap("", "", 0, 10), "");
  EXPECT_EQ(wrap("one two three", "", 0, 7), "one two\nthree");
  EXPECT_EQ(wrap("one two three", "  ", 0, 8), "one two\n  three");
  EXPECT_EQ(wrap("one two three", "", 4, 7), "one\ntwo\nthree");
  EXPECT_EQ(wrap("a\nb\t c", "", 0, 10), "a b c");
}

TEST(Wrap, LeavesAWordThatIsTooLongWhole) {
  EXPECT_EQ(wrap("incomprehensible", "", 0, 5), "incomprehensible");
  EXPECT_EQ(wrap("an incomprehensible word", "", 0, 5), "an\nincomprehensible\nword");
}

TEST(Wrap, CountsCharactersNotBytes) {
  EXPECT_EQ(wrap("ääää öööö", "", 0, 9), "ääää öööö");
  EXPECT_EQ(wrap("ääää öööö", "", 0, 8), "ääää\nöööö");
}

TEST(OneOf, IsReadAloud) {
  EXPECT_EQ(one_of({"1"}), "1");
  EXPECT_EQ(one_of({"1", "2"}), "1 or 2");
  EXPECT_EQ(one_of({"1", "2", "3"}), "1, 2 or 3");
}

RC_GTEST_PROP(TextProperty, PrintableIsUtf8WithoutControlCharacters, (const std::string& bytes)) {
  const std::string text = printable(bytes);
  RC_ASSERT(valid_utf8(text));
  for (const char c : text) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

RC_GTEST_PROP(TextProperty, WrapKeepsTheWordsAndTheWidth, (const std::vector<unsigned char>& lengths)) {
  std::string text;
  for (const unsigned char length : lengths) text += std::string(length % 12 + 1, 'x') + ' ';
  const std::string wrapped = wrap(text, "", 0, 20);
  std::string words;
  std::istringstream lines(wrapped);
  for (std::string line; std::getline(lines, line);) {
    RC_ASSERT(line.size() <= 20u);
    words += line + ' ';
  }
  RC_ASSERT(words == text);
}

}  // namespace
