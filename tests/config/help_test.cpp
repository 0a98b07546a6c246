// What --help prints.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/config/support.h"

namespace {

struct Deepest {
  float momentum = 0.9f;
  void declare(base::Knobs& knobs) {
    knobs.add("momentum", momentum, "share of the last step that goes into this one", {.min = 0, .max = 1});
  }
};

struct Optimizer {
  double learning_rate = 1;
  std::string kind = "sgd";
  Deepest schedule_of_momentum;
  bool nesterov = false;
  void declare(base::Knobs& knobs) {
    knobs.add("learning_rate", learning_rate, "step size", {.min = 0.0, .max = 10.0});
    knobs.add("kind", kind, "update rule", {.choices = {"sgd", "adam", "lion"}});
    knobs.section("schedule_of_momentum", schedule_of_momentum, "how the momentum changes");
    knobs.add("nesterov", nesterov, "look ahead along the momentum");
  }
};

struct Nothing {
  void declare(base::Knobs&) {}
};

struct Everything {
  std::filesystem::path data;
  std::filesystem::path resume;
  int width = 128;
  std::chrono::milliseconds save_every = std::chrono::minutes(10);
  std::vector<std::int64_t> layers = {64, 32};
  std::vector<std::string> tags;
  std::uint64_t seed = 0;
  std::string token = "default token";
  Optimizer optimizer;
  Nothing nothing;
  void declare(base::Knobs& knobs) {
    knobs.add("data", data, "folder with the examples", {.required = true});
    knobs.add("resume", resume, "checkpoint to go on from", {.exists = true});
    knobs.add("width", width, "units in the hidden layer", {.min = 1, .max = 8192});
    knobs.section("optimizer", optimizer, "how the weights move");
    knobs.add("save_every", save_every,
              "time between checkpoints; a run that is stopped starts again at the last one, so this is the most work "
              "that can be lost",
              {.min = std::chrono::seconds(1)});
    knobs.add("layers", layers, "units per layer", {.min = 1});
    knobs.add("tags", tags, "words to find the run by");
    knobs.add("seed", seed, "of all random numbers", {.max = 1'000'000});
    knobs.add("token", token, "access token of the tracker", {.secret = true});
    knobs.section("nothing", nothing, "a section without knobs is left out");
  }
};

constexpr const char* kHelp = R"(usage: train [--config FILE] [--KEY VALUE]... [--set KEY=VALUE]...

Trains a classifier of handwritten digits. It needs a folder with the examples and leaves behind a
folder with checkpoints, event files for TensorBoard and the settings that it ran with.

settings
  --data PATH                       folder with the examples (required)
  --resume PATH                     checkpoint to go on from (must exist, default "")
  --width INTEGER                   units in the hidden layer (1 to 8192, default 128)
  --save_every DURATION             time between checkpoints; a run that is stopped starts again at
                                    the last one, so this is the most work that can be lost (at
                                    least 1s, default 10m)
  --layers INTEGER,...              units per layer (at least 1, default [64, 32])
  --tags TEXT,...                   words to find the run by (default [])
  --seed INTEGER                    of all random numbers (at most 1000000, default 0)
  --token TEXT                      access token of the tracker (secret)

optimizer: how the weights move
  --optimizer.learning_rate NUMBER  step size (0 to 10, default 1)
  --optimizer.kind TEXT             update rule ("sgd", "adam" or "lion", default "sgd")
  --optimizer.nesterov BOOL         look ahead along the momentum (default false)

optimizer.schedule_of_momentum: how the momentum changes
  --optimizer.schedule_of_momentum.momentum NUMBER
                                    share of the last step that goes into this one (0 to 1, default
                                    0.9)

general
  --config FILE                     read settings from a TOML file; flags win over it (default
                                    config/train.toml)
  --set KEY=VALUE                   the same as --KEY VALUE
  -h, --help                        print this and stop

Each setting is also read from the environment: --optimizer.learning_rate from
SCAFFOLD_SET_OPTIMIZER__LEARNING_RATE (in capitals, two underscores for a dot). Flags win over the
environment, which wins over the file.
)";

base::Sources sources() {
  return {
      .file = "config/train.toml",
      .program = "train",
      .description =
          "Trains a classifier of handwritten digits. It needs a folder with the examples and leaves behind a folder "
          "with checkpoints, event files for TensorBoard and the settings that it ran with."};
}

TEST(HelpGolden, ShowsEveryKnobInItsSection) {
  EXPECT_EQ(base::settings_help(Everything{}, sources()), kHelp);
}

TEST(Help, FitsIntoAHundredColumns) {
  std::istringstream lines(base::settings_help(Everything{}, sources()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Help, IsPrintedWhenAskedForWhateverElseIsWrong) {
  const std::vector<std::vector<std::string>> command_lines{{"--help"},
                                                            {"-h"},
                                                            {"--width", "x", "--help"},
                                                            {"--unknown", "-h"},
                                                            {"--data", "--help"},
                                                            {"stray", "--help", "--data"}};
  for (const auto& arguments : command_lines) {
    Everything settings;
    testing::internal::CaptureStdout();
    const auto origins = base::load_settings(settings, arguments, sources());
    EXPECT_EQ(testing::internal::GetCapturedStdout(), kHelp);
    EXPECT_FALSE(origins.has_value());
    EXPECT_EQ(settings.width, 128);
  }
}

TEST(Help, TakesTheProgramsNameFromMain) {
  const std::vector<const char*> arguments{"/usr/bin/learn", "--help", nullptr};
  Nothing settings;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(base::load_settings(settings, 2, arguments.data()));
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            R"(usage: learn [--config FILE] [--KEY VALUE]... [--set KEY=VALUE]...

general
  --config FILE    read settings from a TOML file; flags win over it
  --set KEY=VALUE  the same as --KEY VALUE
  -h, --help       print this and stop

)");
}

TEST(Help, SaysNothingOfTheEnvironmentWhenItIsNotRead) {
  const std::string help = base::settings_help(Everything{}, {.environment_prefix = ""});
  EXPECT_EQ(help.find("environment"), std::string::npos);
  EXPECT_TRUE(help.starts_with("usage: program "));
}

TEST(Help, ShowsTheValuesOfTheProgramAsDefaults) {
  Everything settings;
  settings.width = 7;
  settings.tags = {"a b", "c"};
  const std::string help = base::settings_help(settings);
  EXPECT_NE(help.find("units in the hidden layer (1 to 8192, default 7)\n"), std::string::npos);
  EXPECT_NE(help.find("words to find the run by (default [\"a b\", \"c\"])\n"), std::string::npos);
}

}  // namespace
