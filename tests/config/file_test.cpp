// Settings files: what they may hold, how they inherit, and everything that can be wrong with a file.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/config/support.h"

namespace {

using config_test::file_refusal;
using config_test::loaded;
using config_test::loaded_file;
using config_test::refusal;
using config_test::Sample;
using config_test::TemporaryFolder;

TEST(SettingsFile, GivesSettings) {
  const Sample settings = loaded_file(R"(
# a comment
data = "/data/mnist"
width = 64
save_every = "1h30m"
layers = [1, 2, 3]

[optimizer]
learning_rate = 1
kind = 'adam'
)");
  EXPECT_EQ(settings.data, "/data/mnist");
  EXPECT_EQ(settings.width, 64);
  EXPECT_EQ(settings.save_every, std::chrono::minutes(90));
  EXPECT_EQ(settings.layers, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(settings.optimizer.learning_rate, 1.0);
  EXPECT_EQ(settings.optimizer.kind, "adam");
  EXPECT_EQ(settings.name, "run");
}

TEST(SettingsFile, MayNameSectionsInEveryFormOfToml) {
  for (const std::string text : {"[optimizer]\nkind = 'adam'", "optimizer.kind = 'adam'", "optimizer = {kind = 'adam'}",
                                 "\"optimizer\".'kind' = 'adam'", "[ optimizer ]\n\"kind\" = 'adam'"}) {
    EXPECT_EQ(loaded_file(text).optimizer.kind, "adam") << text;
  }
}

TEST(SettingsFile, MayBeEmptyOrHaveAnEmptySection) {
  EXPECT_EQ(loaded_file(""), Sample{});
  EXPECT_EQ(loaded_file("# nothing\r\n"), Sample{});
  EXPECT_EQ(loaded_file("[optimizer]\n"), Sample{});
  EXPECT_EQ(loaded_file("\xEF\xBB\xBFwidth = 3").width, 3);
}

TEST(SettingsFile, RefusesUnknownKeys) {
  EXPECT_EQ(
      file_refusal("\nwidht = 3"),
      "exit 4, config error: unknown setting: widht (train.toml:2)\n  fix: did you mean width? (--help lists all)");
  EXPECT_EQ(file_refusal("[optimiser]\nlearning_rate = 3"),
            "exit 4, config error: unknown setting: optimiser.learning_rate (train.toml:2)\n"
            "  fix: did you mean optimizer.learning_rate? (--help lists all)");
  EXPECT_EQ(file_refusal("learning_rate = 3"),
            "exit 4, config error: unknown setting: learning_rate (train.toml:1)\n"
            "  fix: did you mean optimizer.learning_rate? (--help lists all)");
  EXPECT_EQ(
      file_refusal("[model]"),
      "exit 4, config error: unknown setting: model (train.toml:1)\n  fix: did you mean width? (--help lists all)");
  EXPECT_EQ(file_refusal("\"optimizer.kind\" = 'adam'"),
            "exit 4, config error: unknown setting: \"optimizer.kind\" (train.toml:1)\n"
            "  fix: did you mean optimizer.kind? (--help lists all)");
  EXPECT_EQ(file_refusal("\"\" = 1"),
            "exit 4, config error: unknown setting: \"\" (train.toml:1)\n  fix: did you mean data? (--help lists all)");
  EXPECT_EQ(file_refusal("\"\\u001b[31m\" = 1"),
            "exit 4, config error: unknown setting: \"\\u001B[31m\" (train.toml:1)\n"
            "  fix: did you mean shuffle? (--help lists all)");
  EXPECT_EQ(
      file_refusal("WIDTH = 1"),
      "exit 4, config error: unknown setting: WIDTH (train.toml:1)\n  fix: did you mean data? (--help lists all)");
}

TEST(SettingsFile, RefusesATableForAValueAndAValueForATable) {
  EXPECT_EQ(file_refusal("optimizer = 3"),
            "exit 4, config error: optimizer is a section, found the integer 3 (train.toml:1)\n"
            "  fix: give its settings, such as optimizer.learning_rate");
  EXPECT_EQ(file_refusal("[[optimizer]]\nkind = 'adam'"),
            "exit 4, config error: optimizer is a section, found a list (train.toml:1)\n"
            "  fix: give its settings, such as optimizer.learning_rate");
  EXPECT_EQ(file_refusal("[width]\nx = 1\ny = 2"),
            "exit 4, config error: width expects an integer, found a table (train.toml:1)\n"
            "  fix: give an integer from 1 to 8192");
  EXPECT_EQ(file_refusal("\nwidth.x = 1"),
            "exit 4, config error: width expects an integer, found a table (train.toml:2)\n"
            "  fix: give an integer from 1 to 8192");
  EXPECT_EQ(file_refusal("[width]"),
            "exit 4, config error: width expects an integer, found a table (train.toml:1)\n"
            "  fix: give an integer from 1 to 8192");
  EXPECT_EQ(file_refusal("layers = {}"),
            "exit 4, config error: layers expects a list of integers, found a table (train.toml:1)\n"
            "  fix: give a list such as [1, 2]");
}

TEST(SettingsFile, IsRefusedWhenItIsNotToml) {
  EXPECT_EQ(
      file_refusal("width = 3\nname = run"),
      "exit 4, config error: the settings file is not valid TOML: train.toml:2:8 (Error while parsing value: could "
      "not determine value type)\n  fix: correct it there; remember that a text needs quotes");
  EXPECT_EQ(
      file_refusal("width = 1\nwidth = 2"),
      "exit 4, config error: the settings file is not valid TOML: train.toml:2:9 (Error while parsing key-value "
      "pair: cannot redefine existing integer 'width')\n  fix: correct it there; remember that a text needs quotes");
  EXPECT_EQ(file_refusal("name = \"a\xFF\""),
            "exit 4, config error: the settings file is not valid TOML: train.toml:1 (it is not UTF-8)\n"
            "  fix: correct it there; remember that a text needs quotes");
}

TEST(SettingsFile, IsRefusedWhenItDoesNotExist) {
  const TemporaryFolder folder;
  const std::string expected =
      "exit 4, config error: the settings file does not exist: no.toml\n  fix: name a file that exists with --config";
  EXPECT_EQ(folder.shorten(refusal({}, {.file = folder / "no.toml"})), expected);
  EXPECT_EQ(folder.shorten(refusal({"--config", (folder / "no.toml").string()})), expected);
  EXPECT_EQ(
      refusal({"--config="}),
      "exit 4, config error: the settings file does not exist: \"\"\n  fix: name a file that exists with --config");
  folder.write("file", "");
  EXPECT_EQ(folder.shorten(refusal({}, {.file = folder / "file/no.toml"})),
            "exit 4, config error: the settings file does not exist: file/no.toml\n"
            "  fix: name a file that exists with --config");
}

TEST(SettingsFile, IsRefusedWhenItIsNotARegularFile) {
  const TemporaryFolder folder;
  const std::string expected =
      "exit 4, config error: the settings file is not a regular file: it\n  fix: name a TOML file";
  std::filesystem::create_directory(folder / "it");
  EXPECT_EQ(folder.shorten(refusal({}, {.file = folder / "it"})), expected);
  std::filesystem::remove(folder / "it");
  ASSERT_EQ(::mkfifo((folder / "it").c_str(), 0600), 0);  // reading it would wait for ever
  EXPECT_EQ(folder.shorten(refusal({}, {.file = folder / "it"})), expected);
  EXPECT_EQ(refusal({}, {.file = "/dev/zero"}),
            "exit 4, config error: the settings file is not a regular file: /dev/zero\n  fix: name a TOML file");
}

TEST(SettingsFile, IsRefusedWhenItCannotBeRead) {
  // Its first page is never mapped, so that reading it fails even for root.
  EXPECT_EQ(refusal({}, {.file = "/proc/self/mem"}),
            "exit 4, config error: the settings file cannot be read: /proc/self/mem (Input/output error)\n"
            "  fix: check its permissions");
}

TEST(SettingsFile, IsRefusedWhenItMayNotBeOpened) {
  const TemporaryFolder folder;
  const auto file = folder.write("secret.toml", "");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  const bool is_root = ::geteuid() == 0;  // who may open everything, so the test goes on as nobody
  if (is_root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string message = refusal({}, {.file = file});
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(folder.shorten(message),
            "exit 4, config error: the settings file cannot be read: secret.toml (Permission denied)\n"
            "  fix: check its permissions");
}

TEST(SettingsFile, IsRefusedWhenItIsLargerThan16Mebibytes) {
  const std::string comment = "width = 3\n#" + std::string((16 << 20) - 11, 'x');
  EXPECT_EQ(loaded_file(comment).width, 3);
  EXPECT_EQ(file_refusal(comment + "x"),
            "exit 4, config error: the settings file is larger than 16 MiB: train.toml\n"
            "  fix: name a settings file: this one holds something else");
}

TEST(SettingsFile, IsRefusedWhenItNestsTooDeeply) {
  std::string dots = "a";
  for (int i = 0; i < 200'000; ++i) dots += ".a";
  const std::string expected =
      "exit 4, config error: the settings file is not valid TOML: train.toml:2 (it nests more than 100 deep)\n"
      "  fix: correct it there; remember that a text needs quotes";
  EXPECT_EQ(file_refusal("width = 3\n" + dots + " = 1"), expected);
  EXPECT_EQ(file_refusal("width = 3\n[" + dots + "]"), expected);
  EXPECT_EQ(file_refusal("width = 3\na = " + std::string(200'000, '[')), expected);
  std::string tables = "a = ";
  for (int i = 0; i < 101; ++i) tables += "{a = ";
  EXPECT_EQ(file_refusal("width = 3\n" + tables), expected);
}

TEST(SettingsFile, KeepsAStrangeFileNameReadable) {
  const TemporaryFolder folder;
  const auto file = folder.write("a\nb.toml", "width = 0");
  EXPECT_EQ(folder.shorten(refusal({}, {.file = file})),
            "exit 4, config error: width is out of range: 0 (a\\nb.toml:1)\n  fix: give an integer from 1 to 8192");
}

TEST(Inherits, TakesWhatTheFileItselfDoesNotSay) {
  const TemporaryFolder folder;
  folder.write("base.toml", "width = 1\nname = 'base'\nlayers = [1, 2, 3]\n[optimizer]\nkind = 'adam'");
  const auto file = folder.write(
      "train.toml", "inherits = 'base.toml'\nname = 'child'\nlayers = [9]\n[optimizer]\nlearning_rate = 0.5");
  const auto settings = loaded<Sample>({}, {.file = file});
  EXPECT_EQ(settings.width, 1);
  EXPECT_EQ(settings.name, "child");
  EXPECT_EQ(settings.layers, (std::vector<std::int64_t>{9}));  // a list is replaced whole
  EXPECT_EQ(settings.optimizer.kind, "adam");
  EXPECT_EQ(settings.optimizer.learning_rate, 0.5);
}

TEST(Inherits, IsRelativeToTheFileThatSaysIt) {
  const TemporaryFolder folder;
  folder.write("common/a.toml", "width = 1\nname = 'a'");
  folder.write("common/b.toml", "inherits = 'a.toml'\nname = 'b'");
  const auto file = folder.write("mine/train.toml", "inherits = '../common/b.toml'");
  const auto settings = loaded<Sample>({}, {.file = file});
  EXPECT_EQ(settings.width, 1);
  EXPECT_EQ(settings.name, "b");
  const auto absolute = folder.write("other.toml", "inherits = '" + (folder / "common/a.toml").string() + "'");
  EXPECT_EQ(loaded<Sample>({}, {.file = absolute}).name, "a");
}

TEST(Inherits, RefusesACircleAndShowsIt) {
  const TemporaryFolder folder;
  folder.write("a.toml", "inherits = 'b.toml'");
  folder.write("b.toml", "inherits = './c.toml'");
  folder.write("c.toml", "inherits = 'a.toml'");
  EXPECT_EQ(folder.shorten(refusal({}, {.file = folder / "a.toml"})),
            "exit 4, config error: settings files inherit from each other in a circle: a.toml -> b.toml -> ./c.toml -> "
            "./a.toml\n  fix: take out one of their inherits lines");
  folder.write("self.toml", "inherits = 'self.toml'");
  EXPECT_EQ(folder.shorten(refusal({}, {.file = folder / "self.toml"})),
            "exit 4, config error: settings files inherit from each other in a circle: self.toml -> self.toml\n"
            "  fix: take out one of their inherits lines");
}

TEST(Inherits, RefusesAParentThatCannotBeUsed) {
  const TemporaryFolder folder;
  const auto child = [&](const std::string& parent) {
    return folder.shorten(refusal({}, {.file = folder.write("train.toml", "width = 3\ninherits = '" + parent + "'")}));
  };
  EXPECT_EQ(child("no.toml"),
            "exit 4, config error: the inherited settings file does not exist: no.toml (inherited by train.toml:2)\n"
            "  fix: correct its path, which starts at the folder of the file that names it");
  std::filesystem::create_directory(folder / "dir");
  EXPECT_EQ(child("dir"),
            "exit 4, config error: the inherited settings file is not a regular file: dir (inherited by train.toml:2)\n"
            "  fix: name a TOML file");
  folder.write("bad.toml", "x = y");
  EXPECT_EQ(child("bad.toml"),
            "exit 4, config error: the inherited settings file is not valid TOML: bad.toml:1:5 (Error while parsing "
            "value: could not determine value type) (inherited by train.toml:2)\n"
            "  fix: correct it there; remember that a text needs quotes");
  folder.write("wrong.toml", "\n\nwidth = 0");
  EXPECT_EQ(child("wrong.toml"),
            "exit 4, config error: width is out of range: 0 (wrong.toml:3)\n  fix: give an integer from 1 to 8192");
}

TEST(Inherits, RefusesWhatIsNoPath) {
  EXPECT_EQ(file_refusal("inherits = 3"),
            "exit 4, config error: inherits expects a path, found the integer 3 (train.toml:1)\n"
            "  fix: give the path of a settings file in quotes");
  EXPECT_EQ(file_refusal("inherits = ['a.toml']"),
            "exit 4, config error: inherits expects a path, found a list (train.toml:1)\n"
            "  fix: give the path of a settings file in quotes");
  EXPECT_EQ(file_refusal(R"(inherits = "a\u0000b")"),
            "exit 4, config error: inherits expects a path, found the text \"a\\u0000b\" (train.toml:1)\n"
            "  fix: give the path of a settings file in quotes");
}

TEST(Inherits, IsASettingLikeAnyOtherInASection) {
  EXPECT_EQ(file_refusal("[optimizer]\ninherits = 'a.toml'"),
            "exit 4, config error: unknown setting: optimizer.inherits (train.toml:2)\n"
            "  fix: did you mean optimizer.kind? (--help lists all)");
}

TEST(Inherits, FollowsALongChain) {
  const TemporaryFolder folder;
  folder.write("0.toml", "width = 5");
  for (int i = 1; i <= 50; ++i) {
    folder.write(std::to_string(i) + ".toml", "inherits = '" + std::to_string(i - 1) + ".toml'");
  }
  EXPECT_EQ(loaded<Sample>({}, {.file = folder / "50.toml"}).width, 5);
}

}  // namespace
