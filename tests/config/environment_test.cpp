// Environment variables, and which source wins.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/config/support.h"

namespace {

using config_test::Environment;
using config_test::load;
using config_test::refusal;
using config_test::Sample;

Sample with(std::initializer_list<std::string> variables) {
  const Environment environment(variables);
  return config_test::loaded<Sample>({}, {.environment = environment.block()});
}

std::string refused(std::initializer_list<std::string> variables) {
  const Environment environment(variables);
  return refusal({}, {.environment = environment.block()});
}

TEST(EnvironmentVariables, GiveSettings) {
  EXPECT_EQ(with({"SCAFFOLD_SET_WIDTH=64"}).width, 64);
  EXPECT_EQ(with({"SCAFFOLD_SET_OPTIMIZER__LEARNING_RATE=0.01"}).optimizer.learning_rate, 0.01);
  EXPECT_EQ(with({"SCAFFOLD_SET_SAVE_EVERY=5s"}).save_every, std::chrono::seconds(5));
  EXPECT_EQ(with({"SCAFFOLD_SET_LAYERS=1,2"}).layers, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(with({"SCAFFOLD_SET_TAGS=[\"a,b\"]"}).tags, (std::vector<std::string>{"a,b"}));
  EXPECT_EQ(with({"SCAFFOLD_SET_SHUFFLE=false"}).shuffle, false);
  EXPECT_EQ(with({"SCAFFOLD_SET_NAME="}).name, "");
  EXPECT_EQ(with({"SCAFFOLD_SET_NAME=a=b"}).name, "a=b");
}

TEST(EnvironmentVariables, AreFoundInAnyCase) {
  EXPECT_EQ(with({"SCAFFOLD_SET_width=64"}).width, 64);
  EXPECT_EQ(with({"SCAFFOLD_SET_Optimizer__Kind=adam"}).optimizer.kind, "adam");
}

TEST(EnvironmentVariables, CountOnlyWithThePrefix) {
  EXPECT_EQ(with({"WIDTH=1", "SCAFFOLD_WIDTH=2", "SCAFFOLD_SERVICE_HOST=10.0.0.1", "scaffold_set_width=3",
                  "SCAFFOLD_SET=4", "SCAFFOLD_SET_WIDTH", "=SCAFFOLD_SET_WIDTH=5", ""}),
            Sample{});
}

TEST(EnvironmentVariables, MayHaveAnotherPrefix) {
  const Environment environment{"SCAFFOLD_SET_WIDTH=1", "MINE_WIDTH=2"};
  Sample settings;
  load(settings, {}, {.environment_prefix = "MINE_", .environment = environment.block()});
  EXPECT_EQ(settings.width, 2);
  EXPECT_EQ(refusal(config_test::One<int>{0, {.required = true}}, {}, {.environment_prefix = "MINE_"}),
            "exit 4, config error: value is required\n"
            "  fix: give --value INTEGER, or value in a settings file, or MINE_VALUE");
}

TEST(EnvironmentVariables, AreNotReadWithoutAPrefix) {
  const Environment environment{"SCAFFOLD_SET_WIDTH=1", "WIDTH=2", "NONSENSE=3"};
  Sample settings;
  load(settings, {}, {.environment_prefix = "", .environment = environment.block()});
  EXPECT_EQ(settings, Sample{});
  EXPECT_EQ(refusal(config_test::One<int>{0, {.required = true}}, {}, {.environment_prefix = ""}),
            "exit 4, config error: value is required\n  fix: give --value INTEGER, or value in a settings file");
}

TEST(EnvironmentVariables, AreTheProcessesOwnUnlessGiven) {
  ::setenv("CONFIG_TEST_PREFIX_WIDTH", "77", 1);
  Sample settings;
  const auto origins =
      base::load_settings(settings, std::vector<std::string>{}, {.environment_prefix = "CONFIG_TEST_PREFIX_"});
  ::unsetenv("CONFIG_TEST_PREFIX_WIDTH");
  ASSERT_TRUE(origins);
  EXPECT_EQ(settings.width, 77);
}

TEST(EnvironmentVariables, AreRefusedWhenUnknown) {
  EXPECT_EQ(refused({"SCAFFOLD_SET_WIDHT=64"}),
            "exit 4, config error: unknown variable: SCAFFOLD_SET_WIDHT\n"
            "  fix: did you mean SCAFFOLD_SET_WIDTH? (--help lists all)");
  EXPECT_EQ(refused({"SCAFFOLD_SET_LEARNING_RATE=1"}),
            "exit 4, config error: unknown variable: SCAFFOLD_SET_LEARNING_RATE\n"
            "  fix: did you mean SCAFFOLD_SET_OPTIMIZER__LEARNING_RATE? (--help lists all)");
  EXPECT_EQ(refused({"SCAFFOLD_SET_OPTIMIZER_KIND=adam"}),
            "exit 4, config error: unknown variable: SCAFFOLD_SET_OPTIMIZER_KIND\n"
            "  fix: did you mean SCAFFOLD_SET_OPTIMIZER__KIND? (--help lists all)");
  EXPECT_EQ(refused({"SCAFFOLD_SET_=1"}),
            "exit 4, config error: unknown variable: SCAFFOLD_SET_\n"
            "  fix: did you mean SCAFFOLD_SET_DATA? (--help lists all)");
  EXPECT_EQ(refused({"SCAFFOLD_SET_CONFIG=train.toml"}),
            "exit 4, config error: unknown variable: SCAFFOLD_SET_CONFIG\n"
            "  fix: did you mean SCAFFOLD_SET_NAME? (--help lists all)");
}

TEST(EnvironmentVariables, AreRefusedWhenWrong) {
  EXPECT_EQ(refused({"SCAFFOLD_SET_WIDTH=wide"}),
            "exit 4, config error: width expects an integer, found the text \"wide\" (SCAFFOLD_SET_WIDTH)\n"
            "  fix: give an integer from 1 to 8192");
  EXPECT_EQ(refused({"SCAFFOLD_SET_WIDTH="}),
            "exit 4, config error: width expects an integer, found the text \"\" (SCAFFOLD_SET_WIDTH)\n"
            "  fix: give an integer from 1 to 8192");
  EXPECT_EQ(refused({"SCAFFOLD_SET_OPTIMIZER__KIND=sdg"}),
            "exit 4, config error: optimizer.kind is none of its choices: \"sdg\" (SCAFFOLD_SET_OPTIMIZER__KIND)\n"
            "  fix: give \"sgd\" or \"adam\"");
  EXPECT_EQ(refused({"SCAFFOLD_SET_OPTIMIZER=adam"}),
            "exit 4, config error: optimizer is a section (SCAFFOLD_SET_OPTIMIZER)\n"
            "  fix: give its settings, such as optimizer.learning_rate");
}

TEST(EnvironmentVariables, AreRefusedInTwoSpellings) {
  EXPECT_EQ(refused({"SCAFFOLD_SET_width=1", "SCAFFOLD_SET_WIDTH=2"}),
            "exit 4, config error: SCAFFOLD_SET_WIDTH and SCAFFOLD_SET_width give the same setting\n"
            "  fix: unset one of them");
}

TEST(EnvironmentVariables, AreReportedInTheirAlphabeticalOrder) {
  EXPECT_EQ(refused({"SCAFFOLD_SET_WIDTH=x", "SCAFFOLD_SET_LAYERS=y"}),
            refused({"SCAFFOLD_SET_LAYERS=y", "SCAFFOLD_SET_WIDTH=x"}));
}

TEST(Home, StandsForATilde) {
  const Environment environment{"HOME=/home/ada"};
  const base::Sources sources{.environment = environment.block()};
  EXPECT_EQ(config_test::loaded<Sample>({"--data", "~/mnist"}, sources).data, "/home/ada/mnist");
  EXPECT_EQ(config_test::loaded<Sample>({"--data", "~"}, sources).data, "/home/ada");
  EXPECT_EQ(config_test::loaded<Sample>({"--data", "~bob/mnist"}, sources).data, "~bob/mnist");
  EXPECT_EQ(config_test::loaded<Sample>({"--data", "a/~/b"}, sources).data, "a/~/b");
  EXPECT_EQ(config_test::loaded<Sample>({"--name", "~/x"}, sources).name, "~/x");
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(config_test::loaded<config_test::One<Paths>>({"--value", "~/a,b,~/c"}, sources).value,
            (Paths{"/home/ada/a", "b", "/home/ada/c"}));
  config_test::One<std::filesystem::path> with_default{"~/cache", {}};
  load(with_default, {}, sources);
  EXPECT_EQ(with_default.value, "/home/ada/cache");
}

TEST(Home, IsMissedWhenItIsNotSet) {
  EXPECT_EQ(refusal({"--data", "~/mnist"}),
            "exit 3, usage error: data starts with ~ but HOME is not set: \"~/mnist\" (--data)\n"
            "  fix: set HOME or give the whole path");
  const Environment empty{"HOME="};
  EXPECT_EQ(refusal(config_test::One<std::filesystem::path>{"~/cache", {}}, {}, {.environment = empty.block()}),
            "exit 4, config error: value starts with ~ but HOME is not set: \"~/cache\" (its default)\n"
            "  fix: set HOME or give the whole path");
}

TEST(Precedence, IsDefaultThenInheritedThenFileThenEnvironmentThenFlags) {
  const config_test::TemporaryFolder folder;
  folder.write("base.toml", "width = 2\nname = 'base'\ndata = 'base'\nsave_every = '2s'");
  const auto file =
      folder.write("train.toml", "inherits = 'base.toml'\nname = 'file'\ndata = 'file'\nsave_every = '3s'");
  const Environment environment{"SCAFFOLD_SET_DATA=env", "SCAFFOLD_SET_SAVE_EVERY=4s"};
  Sample settings;
  const base::Origins origins =
      load(settings, {"--save_every", "5s"}, {.file = file, .environment = environment.block()});
  EXPECT_EQ(settings.shuffle, true);
  EXPECT_EQ(settings.width, 2);
  EXPECT_EQ(settings.name, "file");
  EXPECT_EQ(settings.data, "env");
  EXPECT_EQ(settings.save_every, std::chrono::seconds(5));
  EXPECT_EQ(origins, (base::Origins{{"width", (folder / "base.toml").string() + ":1"},
                                    {"name", file.string() + ":2"},
                                    {"data", "SCAFFOLD_SET_DATA"},
                                    {"save_every", "--save_every"}}));
}

TEST(Precedence, StartsFromTheValuesThatTheProgramSet) {
  Sample settings;
  settings.width = 7;
  settings.name = "mine";
  load(settings, {"--name", "given"});
  EXPECT_EQ(settings.width, 7);
  EXPECT_EQ(settings.name, "given");
}

TEST(Precedence, DoesNotExcuseAWrongValueThatIsOverridden) {
  const Environment environment{"SCAFFOLD_SET_WIDTH=x"};
  EXPECT_EQ(refusal({"--width", "3"}, {.environment = environment.block()}),
            "exit 4, config error: width expects an integer, found the text \"x\" (SCAFFOLD_SET_WIDTH)\n"
            "  fix: give an integer from 1 to 8192");
}

TEST(Precedence, AsksOnlyTheWinnerToExist) {
  const config_test::TemporaryFolder folder;
  const auto file = folder.write("train.toml", "value = '/does/not/exist'");
  const config_test::One<std::filesystem::path> settings{"", {.exists = true}};
  EXPECT_EQ(refusal(settings, {"--value", folder.path().string()}, {.file = file}), "accepted");
  EXPECT_EQ(refusal(settings, {"--value", ""}, {.file = file}), "accepted");
  EXPECT_EQ(folder.shorten(refusal(settings, {}, {.file = file})),
            "exit 4, config error: value does not exist: \"/does/not/exist\" (train.toml:1)\n"
            "  fix: give a path that exists");
}

}  // namespace
