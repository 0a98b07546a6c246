// TOML text that is hostile, damaged or just unusual: what is kept away from toml++, and that nothing else is lost.
#include "base/config/toml_parser.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/config/toml_guard.h"

namespace {

using base::config::find_flaw;
using base::config::kDeepest;
using base::config::opaque_length;
using base::config::parse_toml;
using base::config::TomlEntry;

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// "line 3: what", or "none".
std::string flaw_in(const std::string& text) {
  const auto flaw = find_flaw(text);
  return flaw ? "line " + std::to_string(flaw->line) + ": " + std::string(flaw->what) : "none";
}

// "2:8 description", or "none".
std::string syntax_error(const std::string& text) {
  try {
    parse_toml(text, [](const std::string&) { return false; });
  } catch (const base::config::TomlSyntaxError& error) {
    return std::to_string(error.line) + ":" + std::to_string(error.column) + " " + error.description;
  }
  return "none";
}

std::vector<TomlEntry> entries_of(const std::string& text) {
  return parse_toml(text, [](const std::string&) { return false; });
}

// The text that the first key of the file holds.
std::string text_of(const std::string& toml) {
  return std::get<std::string>(entries_of(toml).at(0).value.value);
}

std::string too_deep_in(int line) {
  return "line " + std::to_string(line) + ": it nests more than 100 deep";
}

TEST(TomlGuard, CountsListsTablesAndDots) {
  EXPECT_EQ(flaw_in("a = " + repeated("[", kDeepest) + repeated("]", kDeepest)), "none");
  EXPECT_EQ(flaw_in("a = " + repeated("[", kDeepest + 1)), too_deep_in(1));
  EXPECT_EQ(flaw_in("a" + repeated(".a", kDeepest) + " = 1"), "none");
  EXPECT_EQ(flaw_in("a" + repeated(".a", kDeepest + 1) + " = 1"), too_deep_in(1));
  EXPECT_EQ(flaw_in("\n\n[a" + repeated(".a", kDeepest) + "]"), too_deep_in(3));
  EXPECT_EQ(flaw_in("a.b = " + repeated("{a.b = ", 50)), too_deep_in(1));
  EXPECT_EQ(flaw_in("a.b = " + repeated("{a.b = ", 49) + "1" + repeated("}", 49)), "none");
}

TEST(TomlGuard, StartsAnewWithEachLineAndElement) {
  EXPECT_EQ(flaw_in(repeated("a.b.c = 1\n", 200)), "none");
  EXPECT_EQ(flaw_in("a = [" + repeated("1.5, 2.5,\n", 200) + "]"), "none");
  EXPECT_EQ(flaw_in("a = {" + repeated("b.c = 1, ", 200) + "}"), "none");
  EXPECT_EQ(flaw_in(repeated("[a.b]\nc.d = {e.f = [1.5]}\n", 200)), "none");
}

TEST(TomlGuard, LooksIntoNoStringAndNoComment) {
  const std::string many = repeated(".[", 200);
  EXPECT_EQ(flaw_in("a = '" + many + "' # " + many), "none");
  EXPECT_EQ(flaw_in("a = \"\\\"" + many + "\""), "none");
  EXPECT_EQ(flaw_in("a = '''\n" + many + "\n'" + many + "'''"), "none");
  EXPECT_EQ(flaw_in("a = \"\"\"\n\\\"\"\"" + many + "\"\"\""), "none");
}

TEST(TomlGuard, FindsTheEndOfAString) {
  const std::string deep = "c" + repeated(".c", 200) + " = 1";
  EXPECT_EQ(flaw_in("a = \"\"\"x\"\"\"\"\"\n" + deep), too_deep_in(2));
  EXPECT_EQ(flaw_in("a = {b = '''x'''', " + deep + "}"), too_deep_in(1));
  EXPECT_EQ(flaw_in("a = 'unterminated\n" + deep), too_deep_in(2));
  EXPECT_EQ(flaw_in("a = ''\n" + deep), too_deep_in(2));
  EXPECT_EQ(flaw_in("a = 'x\\'\n" + deep), too_deep_in(2));
  EXPECT_EQ(flaw_in("# comment\n" + deep), too_deep_in(2));
  EXPECT_EQ(opaque_length("'''x'''''y"), 9u);
  EXPECT_EQ(opaque_length("\"a\\\"b\"c"), 6u);
  EXPECT_EQ(opaque_length("# x\ny"), 3u);
  EXPECT_EQ(opaque_length("x"), 0u);
  for (const std::string text : {"\"", "'", "'''", R"(""")", "\"\\", "#"}) {
    EXPECT_EQ(opaque_length(text), text.size()) << text;
  }
}

TEST(TomlGuard, MissesTheNameOfATable) {
  for (const std::string text : {"[=]", "[\n]", "[.a]", "[[[a]]]", "[[=", "  [ ,", "[#]", "[{", "[+]"}) {
    EXPECT_EQ(flaw_in("\n" + text), "line 2: a table's name must follow [") << text;
  }
  for (const std::string text :
       {"[a]", "[[a]]", "[ 'a' ]", "[\"a\"]", "[-]", "[0]", "[_]", "[]", "a = [\n  [=]]", "["}) {
    EXPECT_EQ(flaw_in(text), "none") << text;
  }
}

TEST(TomlGuard, RefusesBracketsThatDoNotMatch) {
  for (const std::string text : {"]", "}", "a = [}", "a = {]", "a = [1]]", "[a]]", "a = {b = [}]"}) {
    EXPECT_EQ(flaw_in(text), "line 1: a bracket that closes nothing") << text;
  }
}

TEST(TomlGuard, WantsQuotesAroundWhatIsNotAscii) {
  EXPECT_EQ(flaw_in("a = 1\nné = 2"), "line 2: a character that needs quotes around it");
  EXPECT_EQ(flaw_in("a =\u00A0 1"), "line 1: a character that needs quotes around it");
  EXPECT_EQ(flaw_in("'né' = \"é\" # é"), "none");
}

TEST(TomlParser, SurvivesWhatFailsAssertionsOfTomlPlusPlus) {
  EXPECT_EQ(syntax_error("a = 2024-01-01tx.y+E12:00:00.5"), "0:0 it is damaged");
  for (const std::string text : {"[=]", "a=[ i},}\"", "a=[}t", "[[[", "a=0b\"é", "a=1'''é", "a=\"\"\"\\\né\"\"\"b",
                                 "a=12:00:00.50x='é,+[_1", "e=0x{'+0é"}) {
    EXPECT_NE(syntax_error(text), "none") << text;
  }
}

TEST(TomlParser, SaysWhereTheTextIsNotUtf8) {
  EXPECT_EQ(syntax_error("a = 'é'\n# \xFF\n\xFF"), "2:0 it is not UTF-8");
  EXPECT_EQ(syntax_error("\xFF"), "1:0 it is not UTF-8");
}

TEST(TomlParser, CountsColumnsInCharacters) {
  EXPECT_EQ(syntax_error("a = x"), "1:5 Error while parsing value: could not determine value type");
  EXPECT_EQ(syntax_error("a = 1\n'é~ü' = x"), "2:9 Error while parsing value: could not determine value type");
  EXPECT_EQ(syntax_error("\uFEFFa = x"), "1:5 Error while parsing value: could not determine value type");
}

TEST(TomlParser, KeepsEveryCharacter) {
  EXPECT_EQ(text_of("a = 'é~€~~😀~7E~C3'"), "é~€~~😀~7E~C3");
  EXPECT_EQ(text_of("a = \"é~€~~😀~7E~C3\""), "é~€~~😀~7E~C3");
  EXPECT_EQ(text_of("a = '''\né\n~'''"), "é\n~");
  EXPECT_EQ(text_of("a = \"\"\"\\\n  é\n~\"\"\""), "é\n~");
}

TEST(TomlParser, KeepsEscapesApartFromWhatTheyStandFor) {
  EXPECT_EQ(text_of(R"(a = "\u007E41 \u007e42 \U0000007E43 \U0000007e44 ~45")"), "~41 ~42 ~43 ~44 ~45");
  EXPECT_EQ(text_of(R"(a = "\\u007E41")"), "\\u007E41");
  EXPECT_EQ(text_of(R"(a = '\u007E41')"), "\\u007E41");
  EXPECT_EQ(text_of(R"(a = "\u00e9\U0001F600")"), "é😀");
}

TEST(TomlParser, GivesDottedKeysWithTheirLines) {
  const std::vector<TomlEntry> entries =
      entries_of("b = 1\n'é.~' = 2\na.'c d'.e = 3\n[z]\nx = {y = 4}\n\n[empty]\n[[t]]\nu = 5");
  std::vector<std::string> keys;
  keys.reserve(entries.size());
  for (const TomlEntry& entry : entries) keys.push_back(entry.key + ":" + std::to_string(entry.line));
  EXPECT_EQ(keys, (std::vector<std::string>{"b:1", "\"é.~\":2", "a.\"c d\".e:3", "z.x.y:5", "empty:7", "t:8"}));
}

TEST(TomlParser, LeavesATableWholeWhereAValueIsWanted) {
  const auto entries = parse_toml("[a]\nb = 1\n[a.c]\nd = 2", [](const std::string& key) { return key == "a.c"; });
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key, "a.b");
  EXPECT_EQ(entries[1].key, "a.c");
  EXPECT_TRUE(std::holds_alternative<base::config::Literal::Table>(entries[1].value.value));
}

}  // namespace
