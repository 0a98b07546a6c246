// The Trainer with the callbacks that it has by default, or with none, at the work of bare_loop.cpp and with its flags.
#include <base/torch.h>  // first, since it is precompiled

#include <base/callbacks/callback_settings.h>
#include <base/data/idx.h>
#include <base/data/tensor_loader.h>
#include <base/log/error.h>
#include <base/log/format.h>
#include <base/model/mlp.h>
#include <base/model/mnist_cnn.h>
#include <base/tensor/device.h>
#include <base/train/trainer.h>

#include <chrono>
#include <iostream>

namespace {

struct Settings {
  std::string network = "cnn";
  std::string optimizer = "adamw";
  std::int64_t batch_size = 64;
  std::int64_t examples = 9600;
  std::int64_t epochs = 2;
  std::int64_t warmup = 30;
  int threads = 2;
  int loader_threads = 0;
  bool callbacks = true;
  std::filesystem::path data = "/usr/share/datasets/fashion-mnist";

  void declare(base::Knobs& knobs) {
    knobs.add("network", network, "what is trained", {.choices = {"cnn", "mlp"}});
    knobs.add("optimizer", optimizer, "how", {.choices = {"sgd", "adamw"}});
    knobs.add("batch_size", batch_size, "examples in a batch", {.min = 1});
    knobs.add("examples", examples, "of the training set that are used", {.min = 1});
    knobs.add("epochs", epochs, "passes over them", {.min = 1});
    knobs.add("warmup", warmup, "steps before the clock starts", {.min = 0});
    knobs.add("threads", threads, "for the work inside one operation", {.min = 1});
    knobs.add("loader_threads", loader_threads, "that make batches ahead", {.min = 0});
    knobs.add("callbacks", callbacks, "the default ones, or none");
    knobs.add("data", data, "folder with the IDX files");
  }
};

template <typename Network>
class Classifier final : public base::Model {
 public:
  explicit Classifier(std::shared_ptr<Network> network) { network_ = register_module("network", std::move(network)); }
  base::Tensors example_inputs() const override { return {{"image", torch::zeros({1, 1, 28, 28})}}; }
  base::Tensors forward(const base::Tensors& inputs) override {
    return {{"logits", network_->forward(inputs["image"])}};
  }
  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    return torch::cross_entropy_loss(outputs["logits"], batch["label"]);
  }
  void check(const base::Tensors& batch, const NameOfExample& name) const override {
    base::check_labels(batch["label"], 10, name);
  }

 private:
  std::shared_ptr<Network> network_;
};

std::shared_ptr<base::TensorLoader> read(const std::filesystem::path& folder, const std::string& part) {
  return std::make_shared<base::TensorLoader>(base::Tensors{
      {"image", base::read_idx(folder / (part + "-images-idx3-ubyte.gz")).unsqueeze(1).to(torch::kFloat).div(255)},
      {"label", base::read_idx(folder / (part + "-labels-idx1-ubyte.gz")).to(torch::kLong)}});
}

/// Notes when the steps after the warm-up begin.
class Stopwatch final : public base::Callback {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Stopwatch(std::int64_t warmup) : warmup_(warmup) {}
  std::string name() const override { return "stopwatch"; }
  void on_iteration_end(const base::TrainState& state, base::TrainControl& /*control*/) override {
    if (state.step == warmup_) start = Clock::now();
  }

  Clock::time_point start;

 private:
  std::int64_t warmup_;
};

int measure(const Settings& settings) {
  base::seed_everything(1);
  std::shared_ptr<base::Model> model;
  if (settings.network == "cnn") {
    model = std::make_shared<Classifier<base::MnistCnn>>(std::make_shared<base::MnistCnn>());
  } else {
    model = std::make_shared<Classifier<base::Mlp>>(
        std::make_shared<base::Mlp>(base::Mlp::Options{.inputs = 784, .hidden = {64, 64}, .outputs = 10}));
  }
  base::TrainSettings train;
  train.epochs = settings.epochs;
  train.device = "cpu";
  train.threads = settings.threads;
  train.optimizer.kind = settings.optimizer;
  train.optimizer.learning_rate = settings.optimizer == "sgd" ? 0.01 : 0.001;
  train.optimizer.weight_decay = settings.optimizer == "sgd" ? 0 : 0.01;
  train.data = {.batch_size = settings.batch_size, .threads = settings.loader_threads, .limit = settings.examples};
  base::Trainer trainer(train, model, read(settings.data, "train"));
  if (settings.callbacks) base::add_callbacks(trainer);
  auto stopwatch = std::make_unique<Stopwatch>(settings.warmup);
  Stopwatch& watch = *stopwatch;
  const auto run = base::RunFolder::create(std::filesystem::temp_directory_path(), "scaffold_loop");
  trainer.add(std::move(stopwatch)).set_run(run).run();
  const auto stop = Stopwatch::Clock::now();  // the last checkpoint is on disk
  std::filesystem::remove_all(run.path());

  const double seconds = std::chrono::duration<double>(stop - watch.start).count();
  const double rate = static_cast<double>(trainer.state().step - settings.warmup) / seconds;
  std::cout
      << base::format(
             R"({{"name": "scaffold", "work": "{}", "steps_per_second": {}, "samples_per_second": {}, "test_loss": {}}})",
             settings.network, rate, rate * static_cast<double>(settings.batch_size),
             base::result_of(trainer.evaluate(*read(settings.data, "t10k")), "loss"))
      << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    return base::load_settings(settings, argc, argv, {.description = "Measures the Trainer."}) ? measure(settings) : 0;
  });
}
