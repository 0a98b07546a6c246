#include "generator/add.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "generator/new_project.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

class Add : public testing::Test {
 protected:
  Add() {
    folder_.write(
        "set/template.json",
        index_of(R"({"key": "namespace", "kind": "identifier", "text": "Namespace", "default": "<@ identifier @>"})",
                 R"({"from": "task.cpp", "to": "src/task.cpp"})",
                 R"(, "additions": {"model": {"text": "a network",
          "files": [{"from": "m.h", "to": "src/<@ file_name @>.h"}, {"from": "m_test.cpp", "to": "tests/<@ file_name @>_test.cpp"}],
          "insertions": [{"file": "src/task.cpp", "before": "// includes", "text": "#include \"<@ file_name @>.h\""},
                         {"file": "src/task.cpp", "before": "// models", "text": "  add<<@ class_name @>>();\n\n  // more\n"}],
          "next": "train --model <@ file_name @>", "taken": ["ready_net"]}})"));
    folder_.write("set/task.cpp", "#include <a>\n// includes\nint main() {\n  // models: here\n}\n");
    folder_.write("set/m.h", "namespace <@ namespace @> { class <@ class_name @>; }\n");
    folder_.write("set/m_test.cpp", "// <@ class_name @>\n");
    new_project({.name = "demo", .folder = root_.string(), .templates = folder_ / "set", .uses_git = false}, nullptr);
  }

  std::string add(const std::string& kind, const std::string& name) {
    return add_to_project(root_ / "src", {.kind = kind, .name = name});
  }

  base::TemporaryFolder folder_;
  const fs::path root_ = folder_ / "demo";
};

TEST_F(Add, WritesTheFilesAndWiresThemIn) {
  EXPECT_EQ(add("model", "ResNet"),
            "new      src/res_net.h\nnew      tests/res_net_test.cpp\nchanged  src/task.cpp\n"
            "next     train --model res_net");
  EXPECT_EQ(base::contents_of(root_ / "src/res_net.h"), "namespace demo { class ResNet; }\n");
  EXPECT_EQ(base::contents_of(root_ / "tests/res_net_test.cpp"), "// ResNet\n");
  EXPECT_EQ(base::contents_of(root_ / "src/task.cpp"),
            "#include <a>\n#include \"res_net.h\"\n// includes\nint main() {\n  add<ResNet>();\n\n  // more\n  // "
            "models: here\n}\n");
  add("model", "other_net");
  EXPECT_NE(base::contents_of(root_ / "src/task.cpp").find("#include \"res_net.h\"\n#include \"other_net.h\"\n"),
            std::string::npos);
}

TEST_F(Add, NeverOverwrites) {
  base::write_file(root_ / "tests/res_net_test.cpp", "mine\n");
  const auto before = tree_of(root_);
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { add("model", "res_net"); }),
            "usage error: there is such a file already: tests/res_net_test.cpp\n"
            "  fix: choose another name; nothing is ever overwritten");
  EXPECT_EQ(tree_of(root_), before) << "nor is the other file written";
}

TEST_F(Add, RefusesANameOfTheLibrary) {
  const auto before = tree_of(root_);
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { add("model", "ReadyNet"); }),
            "usage error: there is a model of this name in the library: ready_net\n"
            "  fix: choose another, such as my_ready_net");
  EXPECT_EQ(tree_of(root_), before);
}

/// That the settings file is the library's own, the test of a whole project sees to.
TEST(BuiltinTemplates, KnowTheNamesOfTheLibrarysCallbacks) {
  const TemplateSet set = load_templates("builtin");
  const std::string text(set.sources.texts().at("config/train.toml"));
  const std::size_t list = text.find("# which callbacks there are");
  const std::string known = text.substr(list, text.find(", default", list) - list);
  std::vector<std::string> names;
  for (std::size_t at = known.find('"'); at != std::string::npos;) {
    const std::size_t end = known.find('"', at + 1);
    names.push_back(known.substr(at + 1, end - at - 1));
    at = known.find('"', end + 1);
  }
  EXPECT_EQ(set.find_addition("callback")->taken, names);
}

TEST_F(Add, PrintsTheLinesWhosePlaceIsGone) {
  base::write_file(root_ / "src/task.cpp", "// includes\n");
  EXPECT_EQ(add("model", "res_net"),
            "new      src/res_net.h\nnew      tests/res_net_test.cpp\nchanged  src/task.cpp\n"
            "by hand  src/task.cpp has no line with `// models` any more; put in:\n  add<ResNet>();\n\n  // more\n"
            "next     train --model res_net");
  EXPECT_EQ(base::contents_of(root_ / "src/task.cpp"), "#include \"res_net.h\"\n// includes\n");
  fs::remove(root_ / "src/task.cpp");
  EXPECT_NE(add("model", "b").find("by hand  src/task.cpp has no line with `// includes` any more"), std::string::npos);
}

TEST_F(Add, KnowsWhatCanBeAdded) {
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { add("modle", "a"); }),
            "usage error: unknown thing to add: modle\n  fix: did you mean `model`?");
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { add("loss", "a"); }),
            "usage error: unknown thing to add: loss\n  fix: it is one of model");
  EXPECT_NE(complaint(base::ErrorKind::kUsage, [&] { add("model", "../a"); }).find("has a dot in it"),
            std::string::npos);
}

/// The set is good for most answers, so that only this one shows it.
TEST(AddTo, AnAnswerDoesNotLeadToFilesThatAreNotTheProjects) {
  base::TemporaryFolder folder;
  folder.write("set/template.json",
               index_of(R"({"key": "notes", "kind": "text", "text": "Folder of notes", "default": "notes"})",
                        R"({"from": "a.txt"})",
                        R"(, "additions": {"note": {"text": "a note", "files": [],
                            "insertions": [{"file": "<@ notes @>/config", "before": "[core]", "text": "b"}]}})"));
  folder.write("set/a.txt", "a\n");
  const fs::path root = folder / "demo";
  new_project({.name = "demo",
               .folder = root.string(),
               .templates = folder / "set",
               .answers = {{"notes", ".git"}},
               .uses_git = false},
              nullptr);
  base::write_file(root / ".git/config", "[core]\n");
  EXPECT_EQ(
      folder.shorten(complaint(base::ErrorKind::kConfig, [&] { add_to_project(root, {.kind = "note", .name = "a"}); })),
      "config error: set/template.json:4: the target does not do: it is git's own: .git/config\n"
      "  fix: name a file of the project");
  EXPECT_EQ(base::contents_of(root / ".git/config"), "[core]\n");
}

TEST_F(Add, DoesNotFollowALinkOutOfTheProject) {
  fs::create_directory(folder_ / "outside");
  fs::remove_all(root_ / "tests");
  fs::create_directory_symlink(folder_ / "outside", root_ / "tests");
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [&] { add("model", "a"); }),
            "usage error: a path leads out of the project: tests/a_test.cpp\n  fix: remove the link that leads there");
  EXPECT_TRUE(names_in(folder_ / "outside").empty());
  EXPECT_FALSE(fs::exists(root_ / "src/a.h"));
}

}  // namespace
}  // namespace generator
