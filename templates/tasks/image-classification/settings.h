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
  std::int64_t width = 32;
  base::TrainSettings train{.score = "accuracy", .lower_is_better = false, .optimizer = {.learning_rate = 0.003}};

  void declare(base::Knobs& knobs) {
    knobs.add("folder", folder, "where the data are");
    knobs.add("width", width, "<% if with_example %>channels of the last convolution<% else %>units in the hidden layer<% endif %>", {.min = 1, .max = 4096});
    train.declare(knobs);
  }
};

}  // namespace <@ namespace @>

#endif  // SRC_SETTINGS_H_
