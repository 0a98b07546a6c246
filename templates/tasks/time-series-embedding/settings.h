// settings.h: the knobs of this project. Each is a flag, a line of the help, and a line of config/train.toml, which the
// scripts give to the program as --config: it wins over the defaults here, and `PROGRAM settings` prints them anew.
#ifndef SRC_SETTINGS_H_
#define SRC_SETTINGS_H_

#include <base/train/train_settings.h>

#include <cstdint>
#include <filesystem>

namespace <@ namespace @> {

struct Settings {
  std::filesystem::path folder = "data";
  std::int64_t length = 48;
  std::int64_t embedding = 4;
  base::TrainSettings train{.score = "mae", .optimizer = {.learning_rate = 0.01}};

  void declare(base::Knobs& knobs) {
    knobs.add("folder", folder, "where the data are");
    knobs.add("length", length, "rows in a window", {.min = 8, .max = 65536});
    knobs.add("embedding", embedding, "numbers that a window is squeezed into, for each eighth of its length",
              {.min = 1, .max = 4096});
    train.declare(knobs);
  }
};

}  // namespace <@ namespace @>

#endif  // SRC_SETTINGS_H_
