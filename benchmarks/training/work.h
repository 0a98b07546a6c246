// work.h: what the programs here train with a Trainer, and the flags that say how.
#ifndef BENCHMARKS_TRAINING_WORK_H_
#define BENCHMARKS_TRAINING_WORK_H_

#include <base/config/knobs.h>
#include <base/data/idx.h>
#include <base/data/tensor_loader.h>
#include <base/model/cross_entropy.h>
#include <base/model/mlp.h>
#include <base/model/mnist_cnn.h>
#include <base/tensor/device.h>
#include <base/train/trainer.h>

namespace benchmarks {

struct Work {
  std::string network = "cnn";
  std::string optimizer = "adamw";
  std::int64_t batch_size = 64;
  std::int64_t examples = 9600;
  std::int64_t epochs = 2;
  int threads = 2;
  int loader_threads = 0;
  std::filesystem::path data = "/usr/share/datasets/fashion-mnist";

  void declare(base::Knobs& knobs) {
    knobs.add("network", network, "what is trained", {.choices = {"cnn", "mlp"}});
    knobs.add("optimizer", optimizer, "how", {.choices = {"sgd", "adamw"}});
    knobs.add("batch_size", batch_size, "examples in a batch", {.min = 1});
    knobs.add("examples", examples, "of the training set that are used", {.min = 1});
    knobs.add("epochs", epochs, "passes over them", {.min = 1});
    knobs.add("threads", threads, "for the work inside one operation", {.min = 1});
    knobs.add("loader_threads", loader_threads, "that make batches ahead", {.min = 0});
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
    return base::cross_entropy(outputs["logits"], batch["label"]);
  }
  void check(const base::Tensors& batch, const NameOfExample& name) const override {
    base::check_labels(batch["label"], 10, name);
  }

 private:
  std::shared_ptr<Network> network_;
};

inline std::shared_ptr<base::TensorLoader> read(const std::filesystem::path& folder, const std::string& part) {
  return std::make_shared<base::TensorLoader>(base::Tensors{
      {"image", base::read_idx(folder / (part + "-images-idx3-ubyte.gz")).unsqueeze(1).to(torch::kFloat).div(255)},
      {"label", base::read_idx(folder / (part + "-labels-idx1-ubyte.gz")).to(torch::kLong)}});
}

inline std::unique_ptr<base::Trainer> make_trainer(const Work& work) {
  base::seed_everything(1);
  std::shared_ptr<base::Model> model;
  if (work.network == "cnn") {
    model = std::make_shared<Classifier<base::MnistCnn>>(std::make_shared<base::MnistCnn>());
  } else {
    model = std::make_shared<Classifier<base::Mlp>>(
        std::make_shared<base::Mlp>(base::Mlp::Options{.inputs = 784, .hidden = {64, 64}, .outputs = 10}));
  }
  base::TrainSettings train;
  train.epochs = work.epochs;
  train.device = "cpu";
  train.threads = work.threads;
  train.optimizer.kind = work.optimizer;
  train.optimizer.learning_rate = work.optimizer == "sgd" ? 0.01 : 0.001;
  train.optimizer.weight_decay = work.optimizer == "sgd" ? 0 : 0.01;
  train.data = {.batch_size = work.batch_size, .threads = work.loader_threads, .limit = work.examples};
  return std::make_unique<base::Trainer>(train, model, read(work.data, "train"));
}

}  // namespace benchmarks

#endif  // BENCHMARKS_TRAINING_WORK_H_
