// One error for everything that is wrong: its form, its kind, and what is left of the settings.
#include <gtest/gtest.h>

#include <string>

#include "tests/config/support.h"

namespace {

using config_test::Environment;
using config_test::One;
using config_test::refusal;
using config_test::Sample;
using config_test::TemporaryFolder;

struct Inner {
  std::string kind;
  void declare(base::Knobs& knobs) { knobs.add("kind", kind, "update rule", {.required = true}); }
};

struct Required {
  std::filesystem::path data;
  int width = 0;
  std::string name;
  std::vector<std::string> labels;
  Inner optimizer;

  void declare(base::Knobs& knobs) {
    knobs.add("data", data, "folder", {.exists = true, .required = true});
    knobs.add("width", width, "units", {.min = 1, .required = true});
    knobs.add("name", name, "of the run", {.required = true});
    knobs.add("labels", labels, "of the classes", {.required = true});
    knobs.section("optimizer", optimizer, "how the weights move");
  }
};

TEST(Report, HasThePlainFormForOneProblem) {
  const TemporaryFolder folder;
  const auto file = folder.write("train.toml", "\n[optimizer]\nlearning_rate = -1");
  EXPECT_EQ(folder.shorten(refusal({}, {.file = file})),
            "exit 4, config error: optimizer.learning_rate is out of range: -1 (train.toml:3)\n"
            "  fix: give a number from 0 to 10");
}

TEST(Report, ListsAllMissingKeysAtOnce) {
  EXPECT_EQ(refusal<Required>({}), R"(exit 4, config error: 5 settings are wrong
  - data is required
    fix: give --data PATH, or data in a settings file, or SCAFFOLD_SET_DATA
  - width is required
    fix: give --width INTEGER, or width in a settings file, or SCAFFOLD_SET_WIDTH
  - name is required
    fix: give --name TEXT, or name in a settings file, or SCAFFOLD_SET_NAME
  - labels is required
    fix: give --labels TEXT,..., or labels in a settings file, or SCAFFOLD_SET_LABELS
  - optimizer.kind is required
    fix: give --optimizer.kind TEXT, or optimizer.kind in a settings file, or SCAFFOLD_SET_OPTIMIZER__KIND)");
}

TEST(Report, ListsTheProblemsOfAllSourcesInTheirOrder) {
  const TemporaryFolder folder;
  folder.write("base.toml", "width = 0");
  const auto file =
      folder.write("train.toml", "inherits = 'base.toml'\nwidht = 3\nlayers = [0]\nname = 5\noptimizer = 1");
  const Environment environment{"SCAFFOLD_SET_SHUFFLE=maybe", "SCAFFOLD_SET_DAT=x"};
  EXPECT_EQ(folder.shorten(refusal({"--save_every", "soon", "--nmae", "x", "stray", "--tags", "--set", "width"},
                                   {.file = file, .environment = environment.block()})),
            R"(exit 4, config error: 12 settings are wrong
  - width is out of range: 0 (base.toml:1)
    fix: give an integer from 1 to 8192
  - unknown setting: widht (train.toml:2)
    fix: did you mean width? (--help lists all)
  - layers[0] is out of range: 0 (train.toml:3)
    fix: give an integer of at least 1
  - name expects a text, found the integer 5 (train.toml:4)
    fix: give a text in quotes
  - optimizer is a section, found the integer 1 (train.toml:5)
    fix: give its settings, such as optimizer.learning_rate
  - unknown variable: SCAFFOLD_SET_DAT
    fix: did you mean SCAFFOLD_SET_DATA? (--help lists all)
  - shuffle expects true or false, found the text "maybe" (SCAFFOLD_SET_SHUFFLE)
    fix: give true or false
  - a word that belongs to no flag: "stray"
    fix: give settings as --KEY VALUE
  - --tags needs a value
    fix: give --tags TEXT,... (or --tags=... for a value that starts with --)
  - --set needs KEY=VALUE, found "width"
    fix: put a = between the key and the value
  - save_every expects a duration, found the text "soon" (--save_every)
    fix: give a duration of at least 1s
  - unknown flag: --nmae
    fix: did you mean --name? (--help lists all))");
}

TEST(Report, ListsProblemsOfAFileInTheOrderOfItsLines) {
  EXPECT_EQ(config_test::file_refusal("width = 0\nname = 1\n[optimizer]\nkind = 2\nlearning_rate = 11\n"),
            R"(exit 4, config error: 4 settings are wrong
  - width is out of range: 0 (train.toml:1)
    fix: give an integer from 1 to 8192
  - name expects a text, found the integer 1 (train.toml:2)
    fix: give a text in quotes
  - optimizer.kind expects a text, found the integer 2 (train.toml:4)
    fix: give "sgd" or "adam"
  - optimizer.learning_rate is out of range: 11 (train.toml:5)
    fix: give a number from 0 to 10)");
}

TEST(Report, IsAUsageErrorOnlyIfAllOfItIsOnTheCommandLine) {
  EXPECT_EQ(refusal({"--width", "0", "--set", "name"}), R"(exit 3, usage error: 2 settings are wrong
  - --set needs KEY=VALUE, found "name"
    fix: put a = between the key and the value
  - width is out of range: 0 (--width)
    fix: give an integer from 1 to 8192)");
  const Environment environment{"SCAFFOLD_SET_NAME=\xFF"};
  EXPECT_EQ(refusal({"--width", "0"}, {.environment = environment.block()}),
            R"(exit 4, config error: 2 settings are wrong
  - name is not valid UTF-8: the text "\xFF" (SCAFFOLD_SET_NAME)
    fix: give it in UTF-8
  - width is out of range: 0 (--width)
    fix: give an integer from 1 to 8192)");
}

TEST(Report, DoesNotCallAWrongValueMissing) {
  EXPECT_EQ(refusal(One<int>{0, {.min = 1, .required = true}}, {"--value", "0"}),
            "exit 3, usage error: value is out of range: 0 (--value)\n  fix: give an integer of at least 1");
}

TEST(Report, StopsAfterTwentyProblems) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "k" + std::to_string(i) + " = 1\n";
  const std::string message = config_test::file_refusal(text);
  EXPECT_TRUE(
      message.starts_with("exit 4, config error: 25 settings are wrong\n  - unknown setting: k0 (train.toml:1)\n"));
  EXPECT_NE(message.find("\n  - unknown setting: k19 (train.toml:20)\n"), std::string::npos);
  EXPECT_EQ(message.find("k20"), std::string::npos);
  EXPECT_TRUE(message.ends_with("\n  and 5 more"));
}

TEST(Report, CopesWithAFileFullOfUnknownKeys) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "key_number_" + std::to_string(i) + " = 1\n";
  EXPECT_TRUE(config_test::file_refusal(text).ends_with("\n  and 199980 more"));
}

TEST(Required, MayNotBeEmpty) {
  EXPECT_EQ(refusal(One<std::string>{"", {.required = true}}, {"--value="}),
            "exit 3, usage error: value is required but empty (--value)\n"
            "  fix: give --value TEXT, or value in a settings file, or SCAFFOLD_SET_VALUE");
  EXPECT_EQ(refusal(One<std::filesystem::path>{"", {.required = true}}, {"--set", "value="}),
            "exit 3, usage error: value is required but empty (--set value)\n"
            "  fix: give --value PATH, or value in a settings file, or SCAFFOLD_SET_VALUE");
  EXPECT_EQ(config_test::file_refusal("value = ''", One<std::string>{"x", {.required = true}}),
            "exit 4, config error: value is required but empty (train.toml:1)\n"
            "  fix: give --value TEXT, or value in a settings file, or SCAFFOLD_SET_VALUE");
  EXPECT_EQ(refusal(One<int>{0, {.required = true}}, {"--value=0"}), "accepted");
}

TEST(Required, IsSatisfiedByAnySource) {
  const One<int> settings{0, {.required = true}};
  const Environment environment{"SCAFFOLD_SET_VALUE=1"};
  EXPECT_EQ(refusal(settings, {"--value", "1"}), "accepted");
  EXPECT_EQ(refusal(settings, {"--set", "value=1"}), "accepted");
  EXPECT_EQ(refusal(settings, {}, {.environment = environment.block()}), "accepted");
  EXPECT_EQ(config_test::file_refusal("value = 1", settings), "accepted");
}

TEST(Required, IsNotSatisfiedByTheValueOfTheProgram) {
  EXPECT_EQ(refusal(One<int>{5, {.required = true}}, {}),
            "exit 4, config error: value is required\n"
            "  fix: give --value INTEGER, or value in a settings file, or SCAFFOLD_SET_VALUE");
}

TEST(Exists, IsAskedOfFilesAndFolders) {
  const TemporaryFolder folder;
  const std::string file = folder.write("data.csv", "").string();
  const One<std::filesystem::path> settings{"", {.exists = true}};
  EXPECT_EQ(refusal(settings, {"--value", file}), "accepted");
  EXPECT_EQ(refusal(settings, {"--value", folder.path().string()}), "accepted");
  EXPECT_EQ(refusal(settings, {}), "accepted");  // empty stands for none
  EXPECT_EQ(folder.shorten(refusal(settings, {"--value", (folder / "no").string()})),
            "exit 3, usage error: value does not exist: \"no\" (--value)\n  fix: give a path that exists");
  EXPECT_EQ(refusal(One<std::filesystem::path>{"/no/such", {.exists = true}}, {}),
            "exit 4, config error: value does not exist: \"/no/such\" (its default)\n  fix: give a path that exists");
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(refusal(One<Paths>{{}, {.exists = true}}, {"--value", file + ",/no/such"}),
            "exit 3, usage error: value does not exist: \"/no/such\" (--value)\n  fix: give a path that exists");
}

TEST(Settings, StayAsTheyWereWhenLoadingFails) {
  Sample settings;
  settings.name = "before";
  EXPECT_THROW(config_test::load(settings, {"--name", "after", "--layers", "5", "--width", "0"}), base::Error);
  Sample expected;
  expected.name = "before";
  EXPECT_EQ(settings, expected);
}

}  // namespace
