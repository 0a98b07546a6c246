#include "generator/template_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/generator/support.h"

namespace generator {
namespace {

const Variables kVariables{{"name", std::string("digits")},
                           {"cuda", true},
                           {"task", std::string("regression")},
                           {"cloud", std::vector<std::string>{"slurm", "sky"}}};
const KnownVariables kKnown{{"name", {}}, {"cuda", {}}, {"task", {"regression", "empty"}}, {"cloud", {"slurm", "sky"}}};

std::string render(const std::string& text) {
  return render_text(text, {"a.txt", 1}, kVariables);
}

std::string render_refusal(const std::string& text) {
  return complaint(base::ErrorKind::kConfig, [&] { render(text); });
}

std::string check_refusal(const std::string& text) {
  return complaint(base::ErrorKind::kConfig, [&] { check_text(text, {"a.txt", 1}, kKnown); });
}

TEST(RenderText, FillsTheTagsIn) {
  EXPECT_EQ(render("class <@ name @><% if cuda %> final<% endif %> {};<# why #>"), "class digits final {};");
  EXPECT_EQ(render("<% for one in cloud %>[<@ one @>]<% endfor %>"), "[slurm][sky]");
  EXPECT_EQ(render("<@ upper(name) @> <@ join(cloud, \", \") @> <@ length(cloud) @>"), "DIGITS slurm, sky 2");
}

TEST(RenderText, LeavesWhatMarkdownShellCppAndWorkflowsWriteAlone) {
  for (const std::string text : {"## Heading\n", "count=${#array[@]}\n", "int a[2][2] = {{1, 2}, {3, 4}};\n",
                                 "run: ${{ matrix.os }}\n", "{% raw %} {# comment #}\n", "a < b @ c > d\n",
                                 "if (a<b) {}\n", "x <<= 1; \"@@@@\"\n", "email <ada@example.org>\n", ""}) {
    EXPECT_EQ(render(text), text);
  }
}

TEST(RenderText, DropsLinesThatHoldNothingButStatements) {
  EXPECT_EQ(render("a\n  <% if cuda %>\n  b\n  <% else %>\n  c\n  <% endif %>\nd\n"), "a\n  b\nd\n");
  EXPECT_EQ(render("a\n<% if cuda %><% if name == \"x\" %>\nb\n<% endif %><% endif %>\nc"), "a\nc");
  EXPECT_EQ(render("<# a comment\n on two lines #>\na\n"), "a\n");
  EXPECT_EQ(render("a <% if cuda %>\nb<% endif %>\n"), "a \nb\n") << "not alone in its line";
  EXPECT_EQ(render("@@@@ if cuda\na\n@@@@ endif\n"), "a\n");
  EXPECT_EQ(render("<% if not cuda %>\na\n<% endif %>"), "");
}

TEST(RenderText, NamesTheLineOfAnUnknownVariable) {
  EXPECT_EQ(render_refusal("a\n<% if cuda %>\n<@ nmae @>\n<% endif %>\n"),
            "config error: a.txt:3: unknown variable: nmae\n  fix: did you mean `name`?");
  EXPECT_EQ(complaint(base::ErrorKind::kConfig,
                      [] {
                        render_text("<@ zzz @>", {"b.json", 7}, {{"a", true}});
                      }),
            "config error: b.json:7: unknown variable: zzz\n  fix: the variables are a");
}

TEST(RenderText, NamesTheLineOfAMistake) {
  EXPECT_EQ(render_refusal("a\n<% if cuda %>\n"),
            "config error: a.txt:3: the template is wrong: unmatched if\n  fix: correct the template");
  EXPECT_EQ(render_refusal("\n<% endif %>"),
            "config error: a.txt:2: the template is wrong: endif without matching if\n  fix: correct the template");
  EXPECT_EQ(render_refusal("a\n<@ name"),
            "config error: a.txt:2: a tag that is not closed: <@ name\n  fix: end it with @>, within 500 characters");
  EXPECT_EQ(render_refusal("a\n\n<# b"), "config error: a.txt:3: a comment that is not closed\n  fix: end it with #>");
  EXPECT_EQ(render_refusal("\n<@ 1.2.3 @>"),
            "config error: a.txt:2: a value that is none: <@ 1.2.3 @>\n  fix: texts stand in double quotes");
  EXPECT_NE(render_refusal("<@ upper(cloud) @>").find("a tag asks for another kind of value"), std::string::npos);
}

TEST(RenderText, ReadsNoOtherFileAndRunsNothing) {
  for (const std::string tag : {"include \"/etc/passwd\"", "extends \"/etc/passwd\"", "block a", "set a = 1", "run"}) {
    const std::string word = tag.substr(0, tag.find(' '));
    EXPECT_EQ(render_refusal("<% " + tag + " %>"), "config error: a.txt:1: unknown statement: " + word +
                                                       "\n  fix: templates know if, else, endif, for and endfor");
  }
}

TEST(RenderText, BearsWhatIsMeantToBreakIt) {
  std::string deep;
  std::string chain = "<% if cuda %>";
  for (int i = 0; i < 10'000; ++i) deep += "<% if cuda %>";
  for (int i = 0; i < 10'000; ++i) chain += "<% else if cuda %>";
  for (const std::string& text : {deep, chain}) {
    EXPECT_EQ(render_refusal(text), "config error: a.txt:1: statements nested too deeply\n  fix: 20 at most");
  }
  EXPECT_EQ(render_refusal("<@ " + std::string(400, '(') + " @>"),
            "config error: a.txt:1: parentheses nested too deeply\n  fix: 20 at most");
  EXPECT_EQ(render_refusal("<@ | upper @>"),
            "config error: a.txt:1: the pipe is not used in templates: |\n  fix: call the function: upper(name)");
  EXPECT_EQ(render_refusal("<% for a in cloud %><% for b in cloud %><% for c in cloud %>"),
            "config error: a.txt:1: loops nested too deeply\n  fix: 2 at most");
}

RC_GTEST_PROP(RenderText, EitherRendersOrRefuses, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "<@", "@>", "<%", "%>", "<#", "#>", "@@@@", "\n", " ", "if", "for", "in", "else", "endif", "endfor", "cuda",
      "cloud", "name", "\"", "(", ")", "[", "]", ",", "not", "==", "1", "upper", "-", "+", "\\", "<", "@"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  try {
    check_text(text, {"a.txt", 1}, kKnown);
    render(text);
  } catch (const base::Error& error) {
    RC_ASSERT(error.kind() == base::ErrorKind::kConfig);
  }
}

TEST(CheckText, LooksIntoBranchesThatAreNotTaken) {
  EXPECT_EQ(check_refusal("<% if cuda %>\n<% else %>\n<@ nmae @>\n<% endif %>\n"),
            "config error: a.txt:3: unknown variable: nmae\n  fix: did you mean `name`?");
  EXPECT_EQ(check_refusal("<% if cdua %><% endif %>"),
            "config error: a.txt:1: unknown variable: cdua\n  fix: did you mean `cuda`?");
  EXPECT_EQ(check_refusal("<% for one in cloud %><@ two @><% endfor %>"),
            "config error: a.txt:1: unknown variable: two\n  fix: the variables are cloud, cuda, name, task");
  EXPECT_EQ(check_refusal("<% for one in cloud %><% endfor %><@ one @>"),
            "config error: a.txt:1: unknown variable: one\n  fix: the variables are cloud, cuda, name, task");
  EXPECT_EQ(check_refusal("<@ name.size @>"),
            "config error: a.txt:1: unknown variable: name.size\n  fix: the variables are cloud, cuda, name, task");
  EXPECT_EQ(check_refusal("<@ @>"), "config error: a.txt:1: an empty expression\n  fix: name a variable");
}

TEST(CheckText, FindsComparisonsThatNeverHold) {
  EXPECT_EQ(check_refusal("\n<% if task == \"regresion\" %><% endif %>"),
            "config error: a.txt:2: `task` is never this: regresion\n  fix: did you mean `regression`?");
  EXPECT_EQ(check_refusal("<% if \"aws\" in cloud %><% endif %>"),
            "config error: a.txt:1: `cloud` is never this: aws\n  fix: compare it with one of its choices");
}

TEST(CheckText, KnowsFewFunctions) {
  for (const std::string call : {"range(3)", "first(cloud)", "1 % 0", "2 ^ 3", "default(x, 1)", "exists(\"x\")"}) {
    EXPECT_NE(check_refusal("<@ " + call + " @>").find("a.txt:1: unknown function"), std::string::npos) << call;
  }
  EXPECT_EQ(check_text("<% for one in cloud %><@ loop.index1 @><@ upper(one) @><% endfor %>", {"a.txt", 1}, kKnown),
            std::set<std::string>{"cloud"});
}

TEST(Condition, HoldsOrNot) {
  EXPECT_TRUE(holds("", {"a", 1}, kVariables));
  EXPECT_TRUE(holds("cuda and task == \"regression\"", {"a", 1}, kVariables));
  EXPECT_TRUE(holds("\"slurm\" in cloud", {"a", 1}, kVariables));
  EXPECT_FALSE(holds("not cuda", {"a", 1}, kVariables));
  EXPECT_EQ(complaint(base::ErrorKind::kConfig,
                      [] {
                        holds("cuda %>1<% if cuda", {"a", 4}, kVariables);
                      }),
            "config error: a:4: a condition with a tag in it: cuda %>1<% if cuda\n"
            "  fix: write the expression alone: task == \"regression\"");
}

}  // namespace
}  // namespace generator
