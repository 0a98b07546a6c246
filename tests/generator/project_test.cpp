// A project's own record comes from wherever the project came from.
#include "generator/project.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/generator/support.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

const std::string kRecord = R"({"scaffold": "0.1.0", "template": "builtin", "template_version": "1", "name": "demo",
"year": "2026", "answers": {"task": "empty"}})";
const std::string kLock = R"({"files": [{"path": "a/b.txt", "executable": true, "text": "#!x\n"}]})";

std::string refusal(const std::string& record, const std::string& lock,
                    base::ErrorKind kind = base::ErrorKind::kConfig) {
  const base::TemporaryFolder folder;
  folder.write(".scaffold.json", record);
  folder.write(".scaffold.lock", lock);
  return folder.shorten(complaint(kind, [&] { find_project(folder.path()); }));
}

TEST(Project, IsFoundFromWithin) {
  const base::TemporaryFolder folder;
  folder.write(".scaffold.json", kRecord);
  folder.write(".scaffold.lock", kLock);
  fs::create_directories(folder / "a/b/c");
  const Project project = find_project(folder / "a/b/c");
  EXPECT_EQ(project.root, folder.path());
  EXPECT_EQ(project.name.given, "demo");
  EXPECT_EQ(project.answers.find("task")->text, "empty");
  ASSERT_EQ(project.rendered.size(), 1);
  EXPECT_EQ(project.rendered[0], (RenderedFile{"a/b.txt", "#!x\n", true}));
}

TEST(Project, IsNotEveryFolder) {
  EXPECT_EQ(
      complaint(base::ErrorKind::kUsage, [] { find_project("/"); }),
      "usage error: this is no project of scaffold's: /\n  fix: run it in a folder that `scaffold new-project` wrote");
}

TEST(Project, MayBeDamaged) {
  EXPECT_NE(refusal("{", kLock).find(".scaffold.json:1: this is not JSON"), std::string::npos);
  EXPECT_NE(refusal("{\"scaffold\": \"1\"}", kLock).find(".scaffold.json:1: a key is missing: template"),
            std::string::npos);
  EXPECT_NE(refusal(kRecord, "{}").find(".scaffold.lock:1: a key is missing: files"), std::string::npos);
  EXPECT_NE(refusal(kRecord, R"({"files": [{"path": "../x", "executable": false, "text": ""}]})")
                .find(".scaffold.lock:1: the path does not do: it leads out of the folder: ../x"),
            std::string::npos);
  EXPECT_NE(refusal(kRecord, R"({"files": [{"path": ".git/config", "executable": false, "text": ""}]})")
                .find("it is git's own"),
            std::string::npos);
  EXPECT_NE(
      refusal(kRecord, R"({"files": [{"path": "x", "executable": "no", "text": ""}]})").find("executable is a text"),
      std::string::npos);
  std::string record = kRecord;
  record.replace(record.find("2026"), 4, "soon");
  EXPECT_NE(refusal(record, kLock).find(".scaffold.json:2: this is no year: soon"), std::string::npos);
  record = kRecord;
  record.replace(record.find("demo"), 4, "../x");
  EXPECT_NE(refusal(record, kLock, base::ErrorKind::kUsage).find("the project's name has a dot in it"),
            std::string::npos);
}

TEST(Project, NeedsItsLock) {
  const base::TemporaryFolder folder;
  folder.write(".scaffold.json", kRecord);
  EXPECT_EQ(folder.shorten(complaint(base::ErrorKind::kConfig, [&] { find_project(folder.path()); })),
            "config error: the project's record cannot be read: .scaffold.lock\n"
            "  fix: restore the file: git checkout .scaffold.lock");
}

TEST(Project, RecordIsReadBackAsItWas) {
  const TemplateSet set = embedded_templates();
  const Answers answers =
      collect_answers(set, parse_project_name("demo"), "2026", {.given = {{"author", "Söhne & Co"}}});
  const std::vector<RenderedFile> rendered = render_project(set, answers);
  const base::TemporaryFolder folder;
  for (const RenderedFile& file : record_of(set, answers, rendered)) folder.write(file.path, file.text);
  const Project project = find_project(folder.path());
  EXPECT_EQ(project.rendered, rendered);
  EXPECT_EQ(project.answers_for(set, {}).values, answers.values);
  EXPECT_EQ(project.template_version, set.version);
}

}  // namespace
}  // namespace generator
