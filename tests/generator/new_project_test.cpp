#include "generator/new_project.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "generator/catalog.h"
#include "generator/update.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

TEST(NewProject, WritesWhatTheBuiltInTemplatesSay) {
  const base::TemporaryFolder folder;
  const fs::path root = folder / "demo";
  new_project({.name = "demo", .folder = root.string()}, nullptr);
  EXPECT_TRUE(fs::exists(root / "README.md"));
  EXPECT_EQ(git(root, {"status", "--porcelain"}), "");
  EXPECT_EQ(check_project(root, {}).exit_code, 0);
}

TEST(NewProject, OnlyShowsWhatItWouldWrite) {
  const base::TemporaryFolder folder;
  const std::string told = new_project({.name = "demo", .folder = folder / "demo", .is_dry_run = true}, nullptr);
  EXPECT_NE(told.find("  README.md "), std::string::npos);
  EXPECT_NE(told.find("  .scaffold.lock "), std::string::npos);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(NewProject, AsksForTheName) {
  const base::TemporaryFolder folder;
  std::istringstream input("class\ndigits\n");
  std::ostringstream output;
  Prompt prompt(input, output);
  EXPECT_NE(complaint(base::ErrorKind::kUsage, [&] { new_project({.folder = folder / "demo"}, &prompt); })
                .find("the answers ended before the questions: task"),
            std::string::npos);
  EXPECT_NE(output.str().find("the project's name is a word of C++: class: choose another, such as my_class\n"),
            std::string::npos);
  EXPECT_TRUE(names_in(folder.path()).empty()) << "nothing is written";
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [] { new_project({}, nullptr); }),
            "usage error: the project needs a name\n  fix: scaffold new-project NAME");
}

TEST(NewProject, WritesNothingIfAnAnswerDoesNotDo) {
  const base::TemporaryFolder folder;
  const std::string broken = folder.write("answers.json", "{\n\"task\": }");
  EXPECT_NE(
      complaint(base::ErrorKind::kConfig,
                [&] { new_project({.name = "demo", .folder = folder / "demo", .answers_file = broken}, nullptr); })
          .find("answers.json:2: this is not JSON"),
      std::string::npos);
  EXPECT_NE(
      complaint(base::ErrorKind::kUsage,
                [&] {
                  new_project({.name = "demo", .folder = folder / "demo", .answers = {{"task", "regresion"}}}, nullptr);
                })
          .find("did you mean `regression`?"),
      std::string::npos);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"answers.json"});
}

TEST(Catalog, ListsTasksAndAdditions) {
  const std::string list = list_tasks(embedded_templates());
  for (const char* word : {"image-classification", "regression", "time-series-embedding", "empty", "callback"}) {
    EXPECT_NE(list.find(std::string("\n  ") + word), std::string::npos) << word;
  }
}

TEST(Catalog, ShowsWhatATaskIsFor) {
  const std::string text = show_task(embedded_templates(), "regression");
  EXPECT_TRUE(text.starts_with("regression: "));
  EXPECT_NE(text.find("README.md"), std::string::npos);
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [] { show_task(embedded_templates(), "regresion"); }),
            "usage error: unknown task: regresion\n  fix: did you mean `regression`?");
}

}  // namespace
}  // namespace generator
