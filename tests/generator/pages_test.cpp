// The pages that the command writes of itself, judged by the programs that read them.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "generator/cli.h"
#include "generator/probe.h"
#include "generator/process.h"
#include "tests/support/temporary_folder.h"

namespace generator {
namespace {

std::string page(const std::vector<const char*>& words) {
  std::vector<const char*> argv{"scaffold"};
  argv.insert(argv.end(), words.begin(), words.end());
  return parse(static_cast<int>(argv.size()), argv.data()).text;
}

/// What bash offers for the last of some words.
std::string completed(const std::string& words) {
  const base::TemporaryFolder folder;
  const std::string script = folder.write("scaffold", page({"completion", "bash"}));
  const ProcessResult result =
      run_process({"/bin/bash", "-c",
                   "source " + script + "; complete -p scaffold >&2 || exit 9; COMP_WORDS=(" + words +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _scaffold; echo \"${COMPREPLY[*]}\""});
  EXPECT_EQ(result.failure, "") << result.complaint;
  EXPECT_EQ(result.complaint, "complete -F _scaffold scaffold\n");
  return result.output;
}

TEST(BashCompletion, OffersCommandsOptionsAndValues) {
  EXPECT_EQ(completed("scaffold ne"), "new-project\n");
  EXPECT_EQ(completed("scaffold d"), "diff doctor\n");
  EXPECT_EQ(completed("scaffold --v"), "--version\n");
  EXPECT_EQ(completed("scaffold new-project --ta"), "--task\n");
  EXPECT_EQ(completed("scaffold new-project demo --task re"), "regression\n");
  EXPECT_EQ(completed("scaffold update --conflict ''"), "inline rej\n");
  EXPECT_EQ(completed("scaffold add da"), "data-loader\n");
  EXPECT_EQ(completed("scaffold completion ''"), "-h --help bash zsh\n");
  EXPECT_EQ(completed("scaffold new-project --author A"), "\n");
  EXPECT_EQ(completed("scaffold nothing x"), "\n");
}

TEST(ZshCompletion, IsAScriptOfZsh) {
  const std::optional<std::string> zsh = SystemProbe().find_program("zsh");
  if (!zsh) GTEST_SKIP() << "SKIPPED: there is no zsh on this machine";
  const base::TemporaryFolder folder;
  const std::string script = folder.write("_scaffold", page({"completion", "zsh"}));
  const ProcessResult result = run_process({*zsh, "-n", script});
  EXPECT_EQ(result.failure, "") << result.complaint;
}

TEST(ManualPage, IsReadByGroffWithoutAWarning) {
  const std::optional<std::string> groff = SystemProbe().find_program("groff");
  if (!groff) GTEST_SKIP() << "SKIPPED: there is no groff on this machine";
  const ProcessResult result =
      run_process({*groff, "-man", "-Tascii", "-P-cbou", "-wall", "-rLL=100n"}, {}, {.input = page({"man"}) + "\n"});
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.complaint, "");
  for (const char* word : {"new-project", "--dry-run", "EXIT STATUS", "completion"}) {
    EXPECT_NE(result.output.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace generator
