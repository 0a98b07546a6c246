#include "generator/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/log/error.h"

namespace generator {
namespace {

Invocation parse_words(const std::vector<const char*>& words) {
  std::vector<const char*> argv{"/usr/local/bin/scaffold"};
  argv.insert(argv.end(), words.begin(), words.end());
  return parse(static_cast<int>(argv.size()), argv.data());
}

/// The whole message of the error that a command line gives.
std::string complaint(const std::vector<const char*>& words) {
  try {
    parse_words(words);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.exit_code(), 3);
    return error.what();
  }
  return "none";
}

TEST(Parse, PrintsTheVersion) {
  EXPECT_EQ(parse_words({"--version"}).command, Command::kPrint);
  EXPECT_THAT(parse_words({"--version"}).text,
              testing::MatchesRegex("scaffold [0-9]+\\.[0-9]+\\.[0-9]+ \\(templates [^ ]+\\)"));
}

TEST(Parse, PrintsHelpWhenAskedAndWhenNotToldWhatToDo) {
  for (const auto& words : std::vector<std::vector<const char*>>{{}, {"--help"}, {"-h"}}) {
    const Invocation invocation = parse_words(words);
    EXPECT_EQ(invocation.command, Command::kPrint);
    EXPECT_THAT(invocation.text, testing::HasSubstr("scaffold [OPTIONS]"));
    EXPECT_THAT(invocation.text, testing::HasSubstr("doctor"));
    EXPECT_FALSE(invocation.text.ends_with('\n'));
  }
}

TEST(Parse, PrintsHelpOnACommand) {
  EXPECT_THAT(parse_words({"doctor", "--help"}).text, testing::HasSubstr("scaffold doctor"));
}

TEST(Parse, KnowsTheDoctor) {
  EXPECT_EQ(parse_words({"doctor"}).command, Command::kDoctor);
}

TEST(Parse, TakesANameAFolderAndTheAnswersOfANewProject) {
  const Invocation invocation =
      parse_words({"new-project",       "digits",    "/tmp/x",           "--task",      "regression",
                   "--cloud",           "slurm",     "--cloud",          "sky,vertex",  "--cuda",
                   "--without-example", "--set",     "author=Ada = Bob", "--answers",   "a.json",
                   "--defaults",        "--dry-run", "--no-git",         "--templates", "set"});
  EXPECT_EQ(invocation.command, Command::kNewProject);
  EXPECT_EQ(invocation.project.name, "digits");
  EXPECT_EQ(invocation.project.folder, "/tmp/x");
  EXPECT_THAT(invocation.project.answers,
              testing::UnorderedElementsAre(testing::Pair("task", "regression"),
                                            testing::Pair("cloud", "slurm,sky,vertex"), testing::Pair("cuda", "yes"),
                                            testing::Pair("with_example", "no"), testing::Pair("author", "Ada = Bob")));
  EXPECT_EQ(invocation.project.answers_file, "a.json");
  EXPECT_TRUE(invocation.project.takes_defaults);
  EXPECT_TRUE(invocation.project.is_dry_run);
  EXPECT_FALSE(invocation.project.uses_git);
  EXPECT_EQ(invocation.project.templates, "set");
}

TEST(Parse, DoesNotTakeTheNameForAnAnswer) {
  const Invocation invocation = parse_words({"new-project", "--cloud", "slurm", "digits"});
  EXPECT_EQ(invocation.project.name, "digits");
  EXPECT_EQ(parse_words({"new-project"}).project.name, "") << "it is asked for";
}

TEST(Parse, KnowsTheCommandsOnAProject) {
  const Invocation add = parse_words({"add", "model", "ResNet"});
  EXPECT_EQ(add.command, Command::kAdd);
  EXPECT_EQ(add.kind, "model");
  EXPECT_EQ(add.name, "ResNet");
  const Invocation update = parse_words({"update", "--conflict", "rej", "--set", "cuda=yes", "--templates", "set"});
  EXPECT_EQ(update.command, Command::kUpdate);
  EXPECT_EQ(update.update.conflict, ConflictStyle::kReject);
  EXPECT_THAT(update.update.answers, testing::ElementsAre(testing::Pair("cuda", "yes")));
  EXPECT_EQ(update.update.templates, "set");
  EXPECT_EQ(parse_words({"update"}).update.conflict, ConflictStyle::kInline);
  EXPECT_EQ(parse_words({"check"}).command, Command::kCheck);
  EXPECT_EQ(parse_words({"diff"}).command, Command::kDiff);
  EXPECT_EQ(parse_words({"list"}).command, Command::kList);
  EXPECT_EQ(parse_words({"show", "empty"}).name, "empty");
}

TEST(Parse, ComplainsAboutWrongOptions) {
  EXPECT_EQ(complaint({"new-project", "a", "--taks", "empty"}),
            "usage error: unknown option: --taks\n"
            "  fix: did you mean `--task`? `scaffold new-project --help` says what it takes");
  EXPECT_EQ(complaint({"new-project", "a", "b", "c"}),
            "usage error: unexpected argument: c\n"
            "  fix: `scaffold new-project --help` says what it takes");
  EXPECT_EQ(complaint({"new-project", "a", "--set", "cuda"}),
            "usage error: --set takes an answer as key=value: cuda\n  fix: --set cuda=yes");
  EXPECT_EQ(complaint({"update", "--conflict", "mine"}),
            "usage error: unknown way to write conflicts: mine\n  fix: it is inline or rej");
  EXPECT_EQ(complaint({"completion", "fish"}),
            "usage error: no completion for this shell: fish\n  fix: it is bash or zsh");
  EXPECT_EQ(complaint({"new-project", "a", "--cuda", "--no-cuda"}),
            "usage error: --cuda excludes --no-cuda\n  fix: `scaffold new-project --help` says what it takes");
  EXPECT_EQ(complaint({"add", "model"}),
            "usage error: NAME is required\n  fix: `scaffold add --help` says what it takes");
}

TEST(Parse, SuggestsTheCommandThatWasMeant) {
  EXPECT_EQ(complaint({"docter"}),
            "usage error: unknown command: docter\n"
            "  fix: did you mean `doctor`? `scaffold --help` lists the commands");
}

TEST(Parse, DoesNotGuessWhereNothingIsNear) {
  EXPECT_EQ(complaint({"train"}),
            "usage error: unknown command: train\n"
            "  fix: `scaffold --help` lists the commands");
}

TEST(Parse, ComplainsAboutOtherWordsByWhatTheyAre) {
  EXPECT_EQ(complaint({"--versoin"}),
            "usage error: unknown option: --versoin\n"
            "  fix: did you mean `--version`? `scaffold --help` lists the commands");
  EXPECT_EQ(complaint({"doctor", "now"}),
            "usage error: unexpected argument: now\n"
            "  fix: `scaffold doctor --help` says what it takes");
  EXPECT_EQ(complaint({"doctor", "--fast"}),
            "usage error: unknown option: --fast\n"
            "  fix: `scaffold doctor --help` says what it takes");
  EXPECT_EQ(complaint({""}), "usage error: unknown command\n  fix: `scaffold --help` lists the commands");
}

}  // namespace
}  // namespace generator
