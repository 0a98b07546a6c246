// Template sets from anywhere: each mistake has its own message, with file and line.
#include "generator/template_set.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "generator/template_check.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

const std::string kTask = R"({"key": "task", "kind": "choice", "text": "Task", "default": "a",)"
                          R"("choices": [{"value": "a", "text": "A"}, {"value": "b"}]})";
const std::string kCuda = R"({"key": "cuda", "kind": "bool", "text": "GPU", "default": false})";

/// A folder with a template.json and one template, a.txt.
class Set {
 public:
  explicit Set(const std::string& index = index_of(kTask, R"({"from": "a.txt"})"),
               const std::string& text = "<@ task @>\n") {
    write("template.json", index);
    write("a.txt", text);
  }
  void write(const std::string& path, const std::string& text) { folder_.write(path, text); }
  fs::path operator/(const std::string& path) const { return folder_ / path; }
  TemplateSet load() const { return templates_of_folder(folder_.path().string()); }
  /// What is wrong, with paths as if one stood in the folder.
  std::string refusal() const {
    return folder_.shorten(complaint(base::ErrorKind::kConfig, [&] { load(); }));
  }

 private:
  base::TemporaryFolder folder_;
};

std::string refusal(const std::string& index) {
  return Set(index).refusal();
}

TEST(TemplateSet, IsReadFromAFolder) {
  Set files(
      index_of(kTask + "," + kCuda, R"({"from": "a.txt", "to": "<@ identifier @>.txt", "when": "cuda", "text": "it"})",
               R"(, "additions": {"model": {"text": "a network", "files": [{"from": "m.h", "to": "<@ file_name @>.h"}],
        "insertions": [{"file": "a.txt", "before": "// here", "text": "<@ class_name @>"}]}})"));
  files.write("m.h", "class <@ class_name @>;\n");
  files.write(".git/config", "not looked at");
  const TemplateSet set = files.load();
  EXPECT_EQ(set.version, "1.0");
  EXPECT_EQ(set.find("task")->choices[0].text, "A");
  EXPECT_EQ(set.files[0].when, "cuda");
  EXPECT_EQ(set.find_addition("model")->insertions[0].before, "// here");
  EXPECT_EQ(set.find("nothing"), nullptr);
}

TEST(TemplateSet, InThisBinaryIsSound) {
  const TemplateSet set = embedded_templates();
  check_templates(set);
  ASSERT_NE(set.find("task"), nullptr);
  for (const char* kind : {"model", "data-loader", "trainer", "callback"})
    EXPECT_NE(set.find_addition(kind), nullptr) << kind;
}

TEST(TemplateSet, NeedsATemplateJson) {
  const base::TemporaryFolder folder;
  EXPECT_EQ(folder.shorten(complaint(base::ErrorKind::kConfig, [&] { load_templates(folder.path().string()); })),
            "config error: the set of templates has no template.json: template.json\n"
            "  fix: docs/templates.md says what belongs into it");
  EXPECT_EQ(folder.shorten(complaint(base::ErrorKind::kConfig, [&] { load_templates(folder / "none"); })),
            "config error: there is no folder of templates: none\n  fix: give a folder that has a template.json in it");
}

TEST(TemplateSet, RefusesWhatIsNoJsonOrHasOtherKeys) {
  EXPECT_NE(refusal("{\n\"version\": }").find("template.json:2: this is not JSON"), std::string::npos);
  EXPECT_EQ(refusal("{\"version\": \"1\",\n\"questoins\": [], \"files\": []}"),
            "config error: template.json:2: unknown key: questoins\n  fix: did you mean `questions`?");
  EXPECT_EQ(refusal("{\"version\": 1, \"questions\": [], \"files\": []}"),
            "config error: template.json:1: version is a number: 1\n  fix: give a text");
  EXPECT_EQ(refusal("{\"version\": \"1\", \"files\": []}"),
            "config error: template.json:1: a key is missing: questions\n  fix: add it");
  EXPECT_EQ(refusal("[]"), "config error: template.json:1: the file is a list\n  fix: give an object");
}

TEST(TemplateSet, RefusesQuestionsThatCannotBeAsked) {
  const auto question = [](const std::string& members) { return refusal(index_of("\n{" + members + "}", "")); };
  EXPECT_EQ(question(R"("key": "a", "text": "A", "kind": "number", "default": 1)"),
            "config error: template.json:3: unknown kind of question: number\n"
            "  fix: it is text, identifier, choice, bool or list");
  EXPECT_EQ(question(R"("key": "a", "text": "A", "kind": "choice", "default": "b")"),
            "config error: template.json:3: the choices are missing: a\n  fix: add \"choices\"");
  EXPECT_EQ(
      question(R"("key": "a", "text": "A", "kind": "text", "default": "b", "choices": [{"value": "b"}])"),
      "config error: template.json:3: only a choice or a list has choices: a\n  fix: remove them, or change the kind");
  EXPECT_EQ(
      question(R"("key": "a", "text": "A", "kind": "choice", "default": "lage", "choices": [{"value": "large"}])"),
      "config error: template.json:3: the default is not one of the choices: lage\n  fix: did you mean `large`?");
  EXPECT_EQ(question(R"("key": "a", "text": "A", "kind": "bool", "default": "yes")"),
            "config error: template.json:3: the default is a text: yes\n  fix: give true or false");
  EXPECT_EQ(question(R"("key": "name", "text": "A", "kind": "bool", "default": true)"),
            "config error: template.json:3: a question's key is no name for a variable: name\n"
            "  fix: use lower-case letters, digits and _, and no name that is there already");
  EXPECT_EQ(
      question(R"("key": "a", "text": "A", "kind": "choice", "default": "../x", "choices": [{"value": "../x"}])"),
      "config error: template.json:3: a choice's value does not do: ../x\n  fix: use letters, digits, -, _ and .");
  EXPECT_EQ(
      question(
          R"("key": "a", "text": "A", "kind": "choice", "default": "b", "choices": [{"value": "b"}, {"value": "b"}])"),
      "config error: template.json:3: two choices have one value: b\n  fix: remove one of them");
  EXPECT_EQ(refusal(index_of(kCuda + ",\n" + kCuda, "")),
            "config error: template.json:3: two questions have one key: cuda\n  fix: rename one of them");
}

TEST(TemplateSet, RefusesUnknownVariablesWhereverTheyAre) {
  const std::string fix = "\n  fix: did you mean `task`?";
  EXPECT_EQ(Set(index_of(kTask, R"({"from": "a.txt"})"), "x\n<% if task == \"a\" %>\n<% else %><@ tsak @>\n<% endif %>")
                .refusal(),
            "config error: a.txt:3: unknown variable: tsak" + fix);
  EXPECT_EQ(refusal(index_of(kTask, "\n{\"from\": \"a.txt\", \"when\": \"tsak\"}")),
            "config error: template.json:4: unknown variable: tsak" + fix);
  EXPECT_EQ(refusal(index_of(kTask, "\n{\"from\": \"a.txt\", \"to\": \"<@ tsak @>\"}")),
            "config error: template.json:4: unknown variable: tsak" + fix);
  EXPECT_EQ(refusal(index_of(
                kTask + ",\n{\"key\": \"x\", \"kind\": \"text\", \"text\": \"X\", \"default\": \"<@ tsak @>\"}", "")),
            "config error: template.json:3: unknown variable: tsak" + fix);
  EXPECT_EQ(refusal(index_of("{\"key\": \"x\", \"kind\": \"bool\", \"text\": \"X\", \"default\": true, \"when\": "
                             "\"task == \\\"a\\\"\"},\n" +
                                 kTask,
                             "")),
            "config error: template.json:2: unknown variable: task\n"
            "  fix: the variables are identifier, job_name, name, scaffold_version, year")
      << "it is asked later";
  EXPECT_EQ(refusal(index_of(kTask, "\n{\"from\": \"a.txt\", \"when\": \"task == \\\"c\\\"\"}")),
            "config error: template.json:4: `task` is never this: c\n  fix: compare it with one of its choices");
}

TEST(TemplateSet, HoldsRulesAndFilesAgainstEachOther) {
  EXPECT_EQ(refusal(index_of(kTask, "{\"from\": \"a.txt\"},\n{\"from\": \"b.text\"}")),
            "config error: template.json:4: there is no such template: b.text\n  fix: did you mean `a.txt`?");
  Set unused;
  unused.write("sub/forgotten.txt", "");
  EXPECT_EQ(unused.refusal(),
            "config error: sub/forgotten.txt:1: no rule names this file: sub/forgotten.txt\n"
            "  fix: add it to \"files\" in template.json, or remove it");
  EXPECT_EQ(refusal(index_of(kTask,
                             "{\"from\": \"a.txt\", \"to\": \"x\"},\n{\"from\": \"a.txt\", \"to\": \"x\", \"when\": "
                             "\"task == \\\"a\\\"\"}")),
            "config error: template.json:4: two rules have one target: x\n"
            "  fix: give them conditions that exclude each other; the other is in line 3");
}

TEST(TemplateSet, TriesAPathThatDependsOnAnswersWithAllOfThem) {
  Set set(index_of(kTask, "{\"from\": \"a.txt\"}, {\"from\": \"tasks/<@ task @>.txt\", \"to\": \"task.txt\"}"));
  set.write("tasks/a.txt", "");
  EXPECT_EQ(set.refusal(),
            "config error: template.json:3: there is no such template: tasks/b.txt\n"
            "  fix: did you mean `tasks/a.txt`?");
  set.write("tasks/b.txt", "");
  set.load();
  set.write(
      "template.json",
      index_of(kTask, "{\"from\": \"a.txt\"}, {\"from\": \"tasks/<@ task @>.txt\", \"when\": \"task == \\\"a\\\"\"}"));
  EXPECT_NE(set.refusal().find("tasks/b.txt:1: no rule names this file"), std::string::npos);
  EXPECT_EQ(refusal(index_of("", R"({"from": "<@ name @>"})")),
            "config error: template.json:3: a template is chosen by a text: name\n  fix: choose by a choice or a bool");
}

TEST(TemplateSet, LetsNoTargetLeaveTheProject) {
  const auto target = [](const std::string& to) {
    return refusal(index_of(kTask, "{\"from\": \"a.txt\", \"to\": " + to + "}"));
  };
  const std::string fix = "\n  fix: name a file of the project";
  const std::string start = "config error: template.json:3: the target does not do: ";
  EXPECT_EQ(target(R"("../x")"), start + "it leads out of the folder: ../x" + fix);
  EXPECT_EQ(target(R"("a/../../x")"), start + "it leads out of the folder: a/../../x" + fix);
  EXPECT_EQ(target(R"("/etc/x")"), start + "it is absolute: /etc/x" + fix);
  EXPECT_EQ(target(R"("a\\b")"), start + "it has a backslash in it: a\\b" + fix);
  EXPECT_EQ(target(R"(".git/hooks/pre-commit")"), start + "it is git's own: .git/hooks/pre-commit" + fix);
  EXPECT_EQ(target(R"("sub/.GIT/x")"), start + "it is git's own: sub/.GIT/x" + fix);
  EXPECT_EQ(target(R"("a//b")"), start + "it has an empty part: a//b" + fix);
  EXPECT_EQ(target(R"("<% if task == \"b\" %>x<% endif %>")"), start + "it is empty" + fix);
  EXPECT_EQ(target(R"("a b")"), start + "it has other characters than letters, digits and ._-+/: a b" + fix);
  EXPECT_EQ(target(R"(".scaffold.json")"), start + "it is scaffold's own record: .scaffold.json" + fix);
}

TEST(TemplateSet, LetsNoInsertionLeaveTheProject) {
  const auto insertion = [](const std::string& file) {
    return refusal(index_of(kTask, R"({"from": "a.txt"})",
                            R"(, "additions": {"model": {"text": "a network", "files": [], "insertions": [{"file": )" +
                                file + R"(, "before": "[core]", "text": "fsmonitor = run-me"}]}})"));
  };
  const std::string fix = "\n  fix: name a file of the project";
  const std::string start = "config error: template.json:3: the target does not do: ";
  EXPECT_EQ(insertion(R"("../x")"), start + "it leads out of the folder: ../x" + fix);
  EXPECT_EQ(insertion(R"(".git/config")"), start + "it is git's own: .git/config" + fix);
  EXPECT_EQ(insertion(R"(".scaffold.json")"), start + "it is scaffold's own record: .scaffold.json" + fix);
  EXPECT_EQ(insertion(R"("<% if task == \"b\" %>.git/<% endif %>config")"),
            start + "it is git's own: .git/config" + fix);
}

TEST(TemplateSet, TakesNoLinksAndNothingThatIsNoText) {
  Set links;
  fs::create_symlink("/etc/passwd", links / "link");
  EXPECT_EQ(links.refusal(), "config error: a link in a set of templates: link\n  fix: put the file itself there");
  Set folders;
  fs::create_directory_symlink("/etc", folders / "etc");
  EXPECT_EQ(folders.refusal(), "config error: a link in a set of templates: etc\n  fix: put the file itself there");
  Set pipes;
  mkfifo((pipes / "pipe").c_str(), 0600);
  EXPECT_EQ(pipes.refusal(), "config error: the template is no plain file: pipe\n  fix: remove it");
  for (const std::string& bytes : {std::string("\xff\xfe"), std::string("a\0b", 3), std::string("\x1b[2J")}) {
    Set set;
    set.write("b.bin", bytes);
    EXPECT_EQ(set.refusal(), "config error: the template is no text in UTF-8: b.bin\n  fix: leave it out of the set");
  }
  Set large;
  large.write("large", std::string((1 << 20) + 1, 'a'));
  EXPECT_EQ(large.refusal(), "config error: the template is larger than 1 MiB: large\n  fix: leave it out of the set");
  Set named;
  named.write("a b", "");
  EXPECT_EQ(
      named.refusal(),
      "config error: the template's path does not do: it has other characters than letters, digits and ._-+/: a b\n"
      "  fix: rename it");
}

TEST(TemplateSet, HasAnEnd) {
  Set many;
  for (int i = 0; i < 2001; ++i) many.write("many/" + std::to_string(i), "");
  EXPECT_NE(many.refusal().find("the set has more than 2000 files or 16 MiB"), std::string::npos);
  Set deep;
  std::string path;
  for (int i = 0; i < 20; ++i) path += "d/";
  deep.write(path + "x", "");
  EXPECT_NE(deep.refusal().find("folders nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace generator
