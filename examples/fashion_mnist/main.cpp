// A small convolutional network on Fashion-MNIST: 70,000 pictures of clothes, 28 x 28, in ten classes.
//
//     ./dev demo                                   400 steps of 64 pictures
//     build/release/examples/fashion_mnist/fashion_mnist --steps 2000 --optimizer.learning_rate 0.0005
//
// Expect a loss near 2.3 at first and below 0.5 after 400 steps, and about 85 of 100 pictures of the test set right.
#include <base/torch.h>  // first, since it is precompiled

#include <base/config/settings.h>
#include <base/log/error.h>
#include <base/log/log.h>
#include <base/log/progress_bar.h>

#include "idx_file.h"

namespace {

struct OptimizerSettings {
  double learning_rate = 0.002;
  double weight_decay = 0.0;

  void declare(base::Knobs& knobs) {
    knobs.add("learning_rate", learning_rate, "step size of Adam", {.min = 0.0, .max = 1.0});
    knobs.add("weight_decay", weight_decay, "pull of the weights towards zero", {.min = 0.0, .max = 1.0});
  }
};

struct Settings {
  std::filesystem::path data = "/usr/share/datasets/fashion-mnist";
  std::int64_t steps = 400;
  std::int64_t batch_size = 64;
  std::uint64_t seed = 1;
  OptimizerSettings optimizer;

  void declare(base::Knobs& knobs) {
    knobs.add("data", data, "folder with the four IDX files");
    knobs.add("steps", steps, "how many batches to train on", {.min = 1});
    knobs.add("batch_size", batch_size, "pictures in a batch", {.min = 1, .max = 60000});
    knobs.add("seed", seed, "of the weights and of the order of the pictures");
    knobs.section("optimizer", optimizer, "how the weights move");
  }
};

struct Pictures {
  torch::Tensor images;  // [n, 1, 28, 28], from 0 to 1
  torch::Tensor labels;  // [n], from 0 to 9
};

Pictures read_pictures(const std::filesystem::path& folder, const std::string& name) {
  IdxFile images = read_idx(folder / (name + "-images-idx3-ubyte.gz"));
  IdxFile labels = read_idx(folder / (name + "-labels-idx1-ubyte.gz"));
  if (images.shape.size() != 3 || labels.shape.size() != 1 || images.shape[0] != labels.shape[0]) {
    throw base::Error(base::ErrorKind::kData, "images and labels do not belong together", folder / name,
                      "give a folder with the files of one data set");
  }
  // from_blob only borrows the bytes: the conversions that follow make the tensors' own copies.
  return {torch::from_blob(images.values.data(), images.shape, torch::kUInt8).to(torch::kFloat).div(255).unsqueeze(1),
          torch::from_blob(labels.values.data(), labels.shape, torch::kUInt8).to(torch::kLong)};
}

class Network final : public torch::nn::Module {
 public:
  Network() {
    using torch::nn::Conv2dOptions;
    narrow_ = register_module("narrow", torch::nn::Conv2d(Conv2dOptions(1, 16, 3).padding(1)));
    wide_ = register_module("wide", torch::nn::Conv2d(Conv2dOptions(16, 32, 3).padding(1)));
    hidden_ = register_module("hidden", torch::nn::Linear(32 * 7 * 7, 64));
    head_ = register_module("head", torch::nn::Linear(64, 10));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(narrow_(x)), 2);
    x = torch::max_pool2d(torch::relu(wide_(x)), 2);
    return head_(torch::relu(hidden_(x.flatten(1))));
  }

 private:
  torch::nn::Conv2d narrow_{nullptr}, wide_{nullptr};
  torch::nn::Linear hidden_{nullptr}, head_{nullptr};
};

double accuracy(Network& network, const Pictures& pictures) {
  const torch::NoGradGuard no_grad;
  std::int64_t right = 0;
  for (std::int64_t first = 0; first < pictures.labels.size(0); first += 1000) {
    const auto answers = network.forward(pictures.images.slice(0, first, first + 1000)).argmax(1);
    right += answers.eq(pictures.labels.slice(0, first, first + 1000)).sum().item<std::int64_t>();
  }
  return static_cast<double>(right) / static_cast<double>(pictures.labels.size(0));
}

int train(const Settings& settings) {
  torch::manual_seed(settings.seed);
  const Pictures training = read_pictures(settings.data, "train");
  const Pictures test = read_pictures(settings.data, "t10k");
  base::log::info("{} pictures to train on, {} to test on", training.labels.size(0), test.labels.size(0));

  Network network;
  torch::optim::AdamW optimizer(
      network.parameters(),
      torch::optim::AdamWOptions(settings.optimizer.learning_rate).weight_decay(settings.optimizer.weight_decay));

  base::ProgressBar bar({.label = "training", .total = settings.steps});
  for (std::int64_t step = 1; step <= settings.steps; ++step) {
    const auto picked = torch::randint(training.labels.size(0), {settings.batch_size}, torch::kLong);
    const auto loss = torch::nn::functional::cross_entropy(network.forward(training.images.index_select(0, picked)),
                                                           training.labels.index_select(0, picked));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    const auto value = loss.item<double>();
    if (step == 1 || step % 100 == 0) base::log::info("step {:4}  loss {:.4f}", step, value);
    bar.advance(1, base::format("loss {:.3f}", value));
  }
  bar.finish();

  base::log::info("accuracy on the test set: {:.1f} %", 100 * accuracy(network, test));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    const auto origins = base::load_settings(settings, argc, argv, {.description = "Trains on Fashion-MNIST."});
    return origins ? train(settings) : 0;
  });
}
