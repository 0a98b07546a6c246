// The settings written back: the text of the file, and getting it onto the disk.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "tests/config/support.h"

namespace {

using config_test::One;
using config_test::Sample;
using config_test::TemporaryFolder;

struct Inner {
  std::int64_t depth = -1;
  void declare(base::Knobs& knobs) { knobs.add("depth", depth, "of it"); }
};

struct Outer {
  float scale = 1;
  Inner inner;
  bool last = true;
  void declare(base::Knobs& knobs) {
    knobs.add("scale", scale, "factor");
    knobs.section("inner", inner, "inside");
    knobs.add("last", last, "declared after a section, written before it");
  }
};

struct Written {
  std::filesystem::path data;
  int width = 128;
  double rate = 1;
  std::chrono::milliseconds save_every = std::chrono::minutes(10);
  std::vector<std::string> tags = {"a"};
  std::string token;
  Outer outer;
  std::string note = "first\nsecond";
  void declare(base::Knobs& knobs) {
    knobs.add("data", data, "folder with the examples", {.required = true});
    knobs.add("width", width, "units in the hidden layer", {.min = 1, .max = 8192});
    knobs.add("rate", rate, "step size");
    knobs.add("save_every", save_every,
              "time between checkpoints; a run that is stopped starts again at the last one, so this is the most work "
              "that can be lost",
              {.min = std::chrono::seconds(1)});
    knobs.add("tags", tags, "words to find the run by");
    knobs.add("token", token, "access token of the tracker", {.secret = true});
    knobs.section("outer", outer,
                  "a section with another one inside and a description that is too long for one line of "
                  "a hundred columns");
    knobs.add("note", note, "declared after a section, written before it");
  }
};

constexpr const char* kToml = R"(# All settings of a run. Give this file to --config to use them again.

# folder with the examples (required)
data = "/data/\"mnist\""  # from SCAFFOLD_SET_DATA

# units in the hidden layer (1 to 8192, default 128)
width = 64  # from --width

# step size (default 1)
rate = 2.0  # from --set rate

# time between checkpoints; a run that is stopped starts again at the last one, so this is the most
# work that can be lost (at least 1s, default 10m)
save_every = "10m"

# words to find the run by (default ["a"])
tags = ["a", "b,c"]  # from train.toml:1

# access token of the tracker (secret)
# token is a secret, so it is not written here.

# declared after a section, written before it (default "first\nsecond")
note = "first\nsecond"

# a section with another one inside and a description that is too long for one line of a hundred
# columns
[outer]

# factor (default 1)
scale = 1.0

# declared after a section, written before it (default true)
last = false  # from --outer.last

# inside
[outer.inner]

# of it (default -1)
depth = -1
)";

TEST(SettingsTomlGolden, SaysEverythingAboutEveryKnob) {
  const TemporaryFolder folder;
  const config_test::Environment environment{"SCAFFOLD_SET_DATA=/data/\"mnist\"", "SCAFFOLD_SET_TOKEN=hunter2"};
  Written settings;
  const base::Origins origins = config_test::load(
      settings, {"--width", "64", "--set", "rate=2", "--outer.last=false"},
      {.file = folder.write("train.toml", "tags = ['a', 'b,c']"), .environment = environment.block()});
  EXPECT_EQ(folder.shorten(base::settings_toml(settings, origins)), kToml);
}

TEST(SettingsToml, GivesALongListALineForEachElement) {
  const One<std::vector<std::string>> list{{std::string(30, 'a'), std::string(30, 'b'), std::string(30, 'c')}, {}};
  const std::string text = base::settings_toml(list);
  EXPECT_NE(text.find("value = [\n  \"" + std::string(30, 'a') + "\",\n"), std::string::npos) << text;
  const TemporaryFolder folder;
  One<std::vector<std::string>> again;
  config_test::load(again, {}, {.file = folder.write("list.toml", text)});
  EXPECT_EQ(again.value, list.value);
}

TEST(SettingsToml, LeavesOutWhereValuesCameFromUnlessTold) {
  const std::string text = base::settings_toml(config_test::loaded<Sample>({"--width", "64"}));
  EXPECT_NE(text.find("\nwidth = 64\n"), std::string::npos);
  EXPECT_EQ(text.find("from"), std::string::npos);
}

TEST(SettingsToml, MayBeOfAStructWithoutKnobs) {
  struct Nothing {
    void declare(base::Knobs&) {}
  };
  EXPECT_EQ(base::settings_toml(Nothing{}), "# All settings of a run. Give this file to --config to use them again.\n");
}

template <typename T>
std::string written(const T& value) {
  const std::string text = base::settings_toml(One<T>{value, {}});
  const std::size_t begin = text.find("value = ") + 8;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(SettingsToml, WritesNumbersInTheirShortestExactForm) {
  EXPECT_EQ(written(1.0), "1.0");
  EXPECT_EQ(written(-0.0), "-0.0");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(123456789.0), "123456789.0");
  EXPECT_EQ(written(5e-324), "5e-324");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(written(0.1f), "0.1");
  EXPECT_EQ(written(16777216.0f), "16777216.0");
  EXPECT_EQ(written(std::int64_t{7}), "7");
  EXPECT_EQ(written(std::vector<double>{1, 0.5}), "[1.0, 0.5]");
  EXPECT_EQ(written(std::vector<int>{}), "[]");
}

TEST(SettingsToml, WritesTheFloatsWhoseShortestFormIsNotExact) {
  for (const float value : {7.038531e-26f, -7.038531e-26f}) {
    EXPECT_EQ(config_test::loaded_file<One<float>>("value = " + written(value)).value, value);
    EXPECT_EQ(config_test::loaded<One<float>>({"--value=" + written(value)}).value, value);
  }
}

TEST(SettingsToml, WritesTextsWithEscapes) {
  EXPECT_EQ(written(std::string("a\"b\\c\n\t\x01\x7fé")), R"("a\"b\\c\n\t\u0001\u007Fé")");
  EXPECT_EQ(written(std::filesystem::path("/a b/c")), R"("/a b/c")");
  EXPECT_EQ(written(std::vector<std::string>{"a,b", ""}), R"(["a,b", ""])");
  EXPECT_EQ(written(std::chrono::milliseconds(90'500)), R"("1m30s500ms")");
}

TEST(SettingsToml, RefusesATextThatNoFileCanHold) {
  const auto message = [](const std::string& what) {
    return std::string("exit 1, ") + base::Error(base::ErrorKind::kInternal, what, "", "").what();
  };
  EXPECT_EQ(config_test::error_of([] {
              base::settings_toml(One<std::string>{"\xFF", {}});
            }),
            message("value cannot be written: it is not UTF-8 without NUL"));
  EXPECT_EQ(config_test::error_of([] {
              base::settings_toml(One<std::string>{std::string(1, '\0'), {}});
            }),
            message("value cannot be written: it is not UTF-8 without NUL"));
}

TEST(SettingsToml, KeepsAStrangeOriginInOneComment) {
  const std::string text = base::settings_toml(Sample{}, {{"width", "a\nname = 'evil'"}});
  EXPECT_NE(text.find("\nwidth = 128  # from a\\nname = 'evil'\n"), std::string::npos) << text;
  EXPECT_EQ(config_test::loaded_file<Sample>(text), Sample{});
}

TEST(WriteSettings, WritesTheWholeFileAndNothingElse) {
  const TemporaryFolder folder;
  const auto settings = config_test::loaded<Sample>({"--width", "64"});
  base::write_settings(settings, folder / "config.toml", {{"width", "--width"}});
  EXPECT_EQ(folder.read("config.toml"), base::settings_toml(settings, {{"width", "--width"}}));
  EXPECT_EQ(config_test::loaded<Sample>({}, {.file = folder / "config.toml"}), settings);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteSettings, ReplacesAFileThatIsThere) {
  const TemporaryFolder folder;
  folder.write("config.toml", std::string(100'000, '#'));
  base::write_settings(Sample{}, folder / "config.toml");
  EXPECT_EQ(folder.read("config.toml"), base::settings_toml(Sample{}));
}

TEST(WriteSettings, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_EQ(folder.shorten(config_test::error_of([&] { base::write_settings(Sample{}, folder / "no/config.toml"); })),
            "exit 4, config error: the settings cannot be written: no/config.toml (No such file or directory)\n"
            "  fix: check that its folder exists and can be written to");
  std::filesystem::create_directories(folder / "dir/inside");
  EXPECT_EQ(folder.shorten(config_test::error_of([&] { base::write_settings(Sample{}, folder / "dir"); })),
            "exit 4, config error: the settings cannot be written: dir (Is a directory)\n"
            "  fix: check that its folder exists and can be written to");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);  // no temporary is left
}

}  // namespace
