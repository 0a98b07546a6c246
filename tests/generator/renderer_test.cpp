#include "generator/renderer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "generator/json.h"
#include "generator/project_path.h"
#include "generator/template_text.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

Answers answers_of(const TemplateSet& set) {
  return collect_answers(set, parse_project_name("demo"), "2026", {});
}

TEST(Renderer, MakesTheFilesWhoseConditionHolds) {
  const base::TemporaryFolder folder;
  folder.write("template.json", index_of(R"({"key": "cuda", "kind": "bool", "text": "GPU", "default": false})",
                                         R"({"from": "z.sh"}, {"from": "a.txt", "to": "src/<@ identifier @>.txt"},
                                            {"from": "gpu.txt", "when": "cuda"})"));
  folder.write("z.sh", "#!/bin/sh\necho <@ name @>\n");
  folder.write("a.txt", "<@ scaffold_version @>\n");
  folder.write("gpu.txt", "");
  const TemplateSet set = templates_of_folder(folder.path().string());
  const std::vector<RenderedFile> files = render_project(set, answers_of(set));
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files[0].path, "src/demo.txt");
  EXPECT_FALSE(files[0].is_executable);
  EXPECT_EQ(files[1], (RenderedFile{"z.sh", "#!/bin/sh\necho demo\n", true}));
}

TEST(Renderer, RefusesTwoFilesWithOnePath) {
  const base::TemporaryFolder folder;
  folder.write("template.json",
               index_of("", "{\"from\": \"a\", \"to\": \"demo\"},\n{\"from\": \"a\", \"to\": \"<@ name @>\"}"));
  folder.write("a", "");
  const TemplateSet set = templates_of_folder(folder.path().string());
  EXPECT_EQ(folder.shorten(complaint(base::ErrorKind::kConfig, [&] { render_project(set, answers_of(set)); })),
            "config error: template.json:4: two rules have one target: demo\n  fix: rename one of them");
}

/// Random answers to the questions of the built-in set, as somebody might give them one after the other.
Answers random_answers(const TemplateSet& set) {
  const ProjectName name =
      parse_project_name(*rc::gen::element<std::string>("demo", "MyProject", "a", "some-long-name_with-parts"));
  GivenAnswers given;
  for (const Question& question : set.questions) {
    const Variables before = collect_answers(set, name, "2026", {.given = given}).variables();
    if (!holds(question.when, question.origin, before)) continue;
    std::vector<std::string> values;
    for (const Choice& choice : question.choices) {
      if (holds(choice.when, choice.origin, before)) values.push_back(choice.value);
    }
    std::string text;
    switch (question.kind) {
      case Question::Kind::kText:
        text = *rc::gen::element<std::string>("", "Ada", "Ada Lovelace <ada@example.org>", "O'Neil & Söhne; # 100%");
        break;
      case Question::Kind::kIdentifier:
        text = *rc::gen::element<std::string>("ns", "my_space", "Space2");
        break;
      case Question::Kind::kChoice:
        text = *rc::gen::elementOf(values);
        break;
      case Question::Kind::kBool:
        text = *rc::gen::element<std::string>("yes", "no");
        break;
      case Question::Kind::kList:
        for (const std::string& value : values) text += *rc::gen::arbitrary<bool>() ? value + "," : "";
        break;
    }
    given.emplace_back(question.key, text);
  }
  return collect_answers(set, name, "2026", {.given = given});
}

RC_GTEST_PROP(EmbeddedTemplates, RenderAlikeTwiceAndLeaveNothingUnrendered, ()) {
  static const TemplateSet set = embedded_templates();
  const Answers answers = random_answers(set);
  const std::vector<RenderedFile> files = render_project(set, answers);
  RC_ASSERT(files == render_project(set, answers));
  RC_ASSERT(!files.empty());
  std::set<std::string> paths;
  for (const RenderedFile& file : files) {
    RC_ASSERT(objection_to_path(file.path).empty());
    RC_ASSERT(paths.insert(file.path).second);
    for (const std::string mark : {"<@", "@>", "<%", "%>", "<#", "@@@@"}) {
      if (file.text.find(mark) != std::string::npos) RC_FAIL(file.path + " has a " + mark + " left");
    }
    if (file.text.find(" \n") != std::string::npos) RC_FAIL(file.path + " has a space at the end of a line");
    if (!file.text.empty() && !file.text.ends_with('\n')) RC_FAIL(file.path + " ends without a newline");
    if (file.text.ends_with("\n\n")) RC_FAIL(file.path + " ends with an empty line");
    if (file.path.ends_with(".json")) parse_json(file.text, file.path);
  }
}

TEST(EmbeddedTemplates, RenderEveryAddition) {
  const TemplateSet set = embedded_templates();
  for (const Addition& addition : set.additions) {
    Variables variables = answers_of(set).variables();
    variables["class_name"] = std::string("Tiny");
    variables["file_name"] = std::string("tiny");
    EXPECT_FALSE(render_files(set, addition.files, variables).empty()) << addition.kind;
  }
}

}  // namespace
}  // namespace generator
