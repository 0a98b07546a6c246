#include <gtest/gtest.h>

#include <cstdlib>

#include "generator/answers.h"
#include "generator/renderer.h"
#include "generator/template_set.h"
#include "tests/support/temporary_folder.h"

namespace generator {
namespace {

/// All files of a project one after the other. What every task has is told by the first alone.
std::string project_for(const std::string& task, bool whole) {
  const TemplateSet set = embedded_templates();
  const Answers answers = collect_answers(set, parse_project_name("demo"), "2026",
                                          {.given = {{"task", task}, {"licence", "MIT"}, {"author", "Ada"}}});
  std::string text;
  for (const RenderedFile& file : render_project(set, answers)) {
    if (!whole && !file.path.starts_with("src/") && !file.path.starts_with("config/")) continue;
    text += "==> " + file.path + (file.is_executable ? " (executable)" : "") + " <==\n" + file.text + "\n";
  }
  return text;
}

/// SCAFFOLD_GOLDEN=write accepts what is rendered now: git shows what that changes.
void expect_golden(const std::string& task, bool whole) {
  const std::string text = project_for(task, whole);
  const std::string file = std::string(TEST_SOURCE_DIR "/golden/") + task + ".txt";
  const char* const mode = std::getenv("SCAFFOLD_GOLDEN");
  if (mode != nullptr && std::string(mode) == "write") base::write_file(file, text);
  EXPECT_EQ(base::contents_of(file), text) << "if that is wanted, run the test with SCAFFOLD_GOLDEN=write";
}

TEST(ProjectGolden, ImageClassification) {
  expect_golden("image-classification", true);
}

TEST(ProjectGolden, Regression) {
  expect_golden("regression", false);
}

TEST(ProjectGolden, TimeSeriesEmbedding) {
  expect_golden("time-series-embedding", false);
}

TEST(ProjectGolden, Empty) {
  expect_golden("empty", false);
}

}  // namespace
}  // namespace generator
