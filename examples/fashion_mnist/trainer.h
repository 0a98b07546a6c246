// trainer.h: the settings of the example, and a trainer made from them.
#ifndef EXAMPLES_FASHION_MNIST_TRAINER_H_
#define EXAMPLES_FASHION_MNIST_TRAINER_H_

#include <base/callbacks/callback_settings.h>
#include <base/tensor/device.h>
#include <base/train/trainer.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "data_loader.h"
#include "model.h"

namespace fashion_mnist {

struct Settings {
  std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
  std::filesystem::path runs = "runs";
  std::filesystem::path run;
  base::TrainSettings train{.score = "accuracy", .lower_is_better = false, .data = {.batch_size = 64}};

  base::CallbackSettings callbacks;

  void declare(base::Knobs& knobs) {
    knobs.add("folder", folder, "with the four IDX files");
    knobs.add("runs", runs, "where runs are kept");
    knobs.add("run", run, "the folder of this run, which goes on if it was begun before; empty: a new one in `runs`");
    train.declare(knobs);
    knobs.section("callbacks", callbacks, "what is done beside the training");
  }
};

class Trainer final : public base::Trainer {
 public:
  using Settings = fashion_mnist::Settings;

  explicit Trainer(const Settings& settings)
      : base::Trainer(settings.train, make_model(settings), std::make_shared<DataLoader>(settings.folder, "train"),
                      std::make_shared<DataLoader>(settings.folder, "t10k")) {
    base::add_callbacks(*this, settings.callbacks, {}, base::settings_values(settings));
  }

 private:
  static std::shared_ptr<Model> make_model(const Settings& settings) {
    base::seed_everything(settings.train.seed);  // before the weights are drawn
    return std::make_shared<Model>();
  }
};

}  // namespace fashion_mnist

#endif  // EXAMPLES_FASHION_MNIST_TRAINER_H_
