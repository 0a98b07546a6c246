// Flags: their forms, their order and their mistakes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/config/support.h"

namespace {

using config_test::loaded;
using config_test::refusal;
using config_test::Sample;

TEST(CommandLine, TakesAValueAfterASpaceOrAnEqualsSign) {
  EXPECT_EQ(loaded<Sample>({"--width", "64"}).width, 64);
  EXPECT_EQ(loaded<Sample>({"--width=64"}).width, 64);
  EXPECT_EQ(loaded<Sample>({"--set", "width=64"}).width, 64);
  EXPECT_EQ(loaded<Sample>({"--set=width=64"}).width, 64);
  EXPECT_EQ(loaded<Sample>({"--optimizer.kind", "adam"}).optimizer.kind, "adam");
  EXPECT_EQ(loaded<Sample>({"--set", "optimizer.kind=adam"}).optimizer.kind, "adam");
}

TEST(CommandLine, LeavesDefaultsAlone) {
  EXPECT_EQ(loaded<Sample>({}), Sample{});
}

TEST(CommandLine, TakesADashForAnUnderscore) {
  EXPECT_EQ(loaded<Sample>({"--save-every", "5s"}).save_every, std::chrono::seconds(5));
  EXPECT_EQ(loaded<Sample>({"--optimizer.learning-rate=0.5"}).optimizer.learning_rate, 0.5);
  EXPECT_EQ(loaded<Sample>({"--set", "save-every=5s"}).save_every, std::chrono::seconds(5));
  EXPECT_EQ(loaded<Sample>({"--name=a-b"}).name, "a-b");
}

TEST(CommandLine, LetsTheLaterFlagWin) {
  EXPECT_EQ(loaded<Sample>({"--width", "1", "--width", "2"}).width, 2);
  EXPECT_EQ(loaded<Sample>({"--width=1", "--set", "width=2"}).width, 2);
  EXPECT_EQ(loaded<Sample>({"--set", "width=2", "--width=1"}).width, 1);
  EXPECT_EQ(loaded<Sample>({"--shuffle", "--shuffle=false"}).shuffle, false);
}

TEST(CommandLine, TakesValuesThatStartWithADash) {
  struct Shift {
    int shift = 0;
    double rate = 0;
    std::string name;
    void declare(base::Knobs& knobs) {
      knobs.add("shift", shift, "to the left");
      knobs.add("rate", rate, "of change");
      knobs.add("name", name, "of it");
    }
  };
  EXPECT_EQ(loaded<Shift>({"--shift", "-3"}).shift, -3);
  EXPECT_EQ(loaded<Shift>({"--shift=-3"}).shift, -3);
  EXPECT_EQ(loaded<Shift>({"--rate", "-.5e-3"}).rate, -0.0005);
  EXPECT_EQ(loaded<Shift>({"--name", "-x"}).name, "-x");
  EXPECT_EQ(loaded<Shift>({"--name", "-"}).name, "-");
  EXPECT_EQ(loaded<Shift>({"--name=--shift"}).name, "--shift");
  EXPECT_EQ(loaded<Shift>({"--name=-h"}).name, "-h");
  EXPECT_EQ(loaded<Shift>({"--set", "name=--help"}).name, "--help");
}

TEST(CommandLine, TakesEmptyValues) {
  EXPECT_EQ(loaded<Sample>({"--name", ""}).name, "");
  EXPECT_EQ(loaded<Sample>({"--name="}).name, "");
  EXPECT_EQ(loaded<Sample>({"--name=", "--width", "3"}), loaded<Sample>({"--width", "3", "--set", "name="}));
}

TEST(CommandLine, KeepsEqualsSignsInValues) {
  EXPECT_EQ(loaded<Sample>({"--name=a=b"}).name, "a=b");
  EXPECT_EQ(loaded<Sample>({"--name", "a=b"}).name, "a=b");
  EXPECT_EQ(loaded<Sample>({"--set", "name=a=b"}).name, "a=b");
  EXPECT_EQ(loaded<Sample>({"--set=name=="}).name, "=");
}

TEST(CommandLine, TakesABoolWithAndWithoutValue) {
  EXPECT_EQ(loaded<Sample>({"--optimizer.nesterov"}).optimizer.nesterov, true);
  EXPECT_EQ(loaded<Sample>({"--optimizer.nesterov", "true"}).optimizer.nesterov, true);
  EXPECT_EQ(loaded<Sample>({"--shuffle", "false"}).shuffle, false);
  EXPECT_EQ(loaded<Sample>({"--shuffle=false"}).shuffle, false);
  EXPECT_EQ(loaded<Sample>({"--set", "shuffle=false"}).shuffle, false);
  const auto both = loaded<Sample>({"--optimizer.nesterov", "--width", "3"});
  EXPECT_EQ(both.optimizer.nesterov, true);
  EXPECT_EQ(both.width, 3);
}

TEST(CommandLine, RefusesABoolThatIsNeither) {
  EXPECT_EQ(refusal({"--shuffle", "no"}),
            "exit 3, usage error: shuffle expects true or false, found the text \"no\" (--shuffle)\n"
            "  fix: give true or false");
}

TEST(CommandLine, RefusesAnUnknownFlag) {
  EXPECT_EQ(refusal({"--widht", "3"}),
            "exit 3, usage error: unknown flag: --widht\n  fix: did you mean --width? (--help lists all)");
  EXPECT_EQ(refusal({"--widht=3"}),
            "exit 3, usage error: unknown flag: --widht\n  fix: did you mean --width? (--help lists all)");
  EXPECT_EQ(refusal({"--learning-rate", "-3"}),
            "exit 3, usage error: unknown flag: --learning-rate\n"
            "  fix: did you mean --optimizer.learning_rate? (--help lists all)");
  EXPECT_EQ(refusal({"-width", "3"}),
            "exit 3, usage error: unknown flag: -width\n  fix: did you mean --width? (--help lists all)");
  EXPECT_EQ(refusal({"--confg", "train.toml"}),
            "exit 3, usage error: unknown flag: --confg\n  fix: did you mean --config? (--help lists all)");
  EXPECT_EQ(refusal({"--help=all"}),
            "exit 3, usage error: unknown flag: --help\n  fix: did you mean --help? (--help lists all)");
  EXPECT_EQ(
      refusal({"--\x1b[31m"}),
      "exit 3, usage error: unknown flag: --\\u001B[31m\n  fix: did you mean --optimizer.kind? (--help lists all)");
}

TEST(CommandLine, RefusesAnUnknownKeyInSet) {
  EXPECT_EQ(refusal({"--set", "widht=3"}),
            "exit 3, usage error: unknown setting: widht (--set widht)\n  fix: did you mean width? (--help lists all)");
  EXPECT_EQ(refusal({"--set", "=3"}),
            "exit 3, usage error: unknown setting:  (--set )\n  fix: did you mean data? (--help lists all)");
}

TEST(CommandLine, RefusesSetWithoutEqualsSign) {
  EXPECT_EQ(
      refusal({"--set", "width"}),
      "exit 3, usage error: --set needs KEY=VALUE, found \"width\"\n  fix: put a = between the key and the value");
}

TEST(CommandLine, RefusesASectionAsFlag) {
  EXPECT_EQ(refusal({"--optimizer", "adam"}),
            "exit 3, usage error: optimizer is a section (--optimizer)\n"
            "  fix: give its settings, such as --optimizer.learning_rate");
  EXPECT_EQ(refusal({"--set", "optimizer=adam"}),
            "exit 3, usage error: optimizer is a section (--set optimizer)\n"
            "  fix: give its settings, such as optimizer.learning_rate");
}

TEST(CommandLine, RefusesWordsThatBelongToNoFlag) {
  EXPECT_EQ(refusal({"train.toml"}),
            "exit 3, usage error: a word that belongs to no flag: \"train.toml\"\n  fix: give settings as --KEY VALUE");
  EXPECT_EQ(refusal({"--width", "3", "4"}),
            "exit 3, usage error: a word that belongs to no flag: \"4\"\n  fix: give settings as --KEY VALUE");
  EXPECT_EQ(refusal({""}),
            "exit 3, usage error: a word that belongs to no flag: \"\"\n  fix: give settings as --KEY VALUE");
  EXPECT_EQ(refusal({"--"}),
            "exit 3, usage error: a word that belongs to no flag: \"--\"\n  fix: give settings as --KEY VALUE");
  EXPECT_EQ(refusal({"-"}),
            "exit 3, usage error: a word that belongs to no flag: \"-\"\n  fix: give settings as --KEY VALUE");
}

TEST(CommandLine, RefusesAFlagWithoutItsValue) {
  EXPECT_EQ(refusal({"--width"}),
            "exit 3, usage error: --width needs a value\n"
            "  fix: give --width INTEGER (or --width=... for a value that starts with --)");
  EXPECT_EQ(refusal({"--data", "--width", "3"}),
            "exit 3, usage error: --data needs a value\n"
            "  fix: give --data PATH (or --data=... for a value that starts with --)");
  EXPECT_EQ(refusal({"--config"}),
            "exit 3, usage error: --config needs a value\n"
            "  fix: give --config FILE (or --config=... for a value that starts with --)");
  EXPECT_EQ(refusal({"--set"}),
            "exit 3, usage error: --set needs a value\n"
            "  fix: give --set KEY=VALUE (or --set=... for a value that starts with --)");
}

TEST(CommandLine, DoesNotCallAFlagWithoutItsValueMissing) {
  EXPECT_EQ(refusal(config_test::One<int>{0, {.required = true}}, {"--value"}),
            "exit 3, usage error: --value needs a value\n"
            "  fix: give --value INTEGER (or --value=... for a value that starts with --)");
}

TEST(CommandLine, ReadsTheFileThatConfigNames) {
  const config_test::TemporaryFolder folder;
  const std::string one = folder.write("one.toml", "width = 1").string();
  const std::string two = folder.write("two.toml", "width = 2").string();
  EXPECT_EQ(loaded<Sample>({"--config", one}).width, 1);
  EXPECT_EQ(loaded<Sample>({"--config=" + one}, {.file = two}).width, 1);
  EXPECT_EQ(loaded<Sample>({"--config", one, "--config", two}).width, 2);
  EXPECT_EQ(loaded<Sample>({}, {.file = two}).width, 2);
}

TEST(CommandLine, IsTakenFromMainWithoutTheProgramsName) {
  const std::vector<const char*> arguments{"/usr/bin/train", "--width", "64", nullptr};
  Sample settings;
  const auto origins = base::load_settings(settings, 3, arguments.data(), {.environment_prefix = ""});
  ASSERT_TRUE(origins);
  EXPECT_EQ(settings.width, 64);
  EXPECT_EQ(*origins, (base::Origins{{"width", "--width"}}));
  EXPECT_TRUE(base::load_settings(settings, 0, arguments.data() + 3, {.environment_prefix = ""}));
}

}  // namespace
