// small_run.h: the smallest thing that can be trained: a line through points, with dropout so that chance matters.
#ifndef TESTS_TRAIN_SMALL_RUN_H_
#define TESTS_TRAIN_SMALL_RUN_H_

#include <base/data/tensor_loader.h>
#include <base/metrics/error.h>
#include <base/model/model.h>
#include <base/tensor/device.h>
#include <base/train/trainer.h>
#include <tests/support/temporary_folder.h>

#include <memory>
#include <string>

namespace base::testing {

class SmallModel : public Model {
 public:
  struct Options {
    double dropout = 0.2;
    bool norm = true;  // the statistics of a batch make it matter which examples are in it
  };
  SmallModel() : SmallModel(Options{}) {}
  explicit SmallModel(const Options& options) : dropout_(options.dropout) {
    hidden_ = register_module("hidden", torch::nn::Linear(3, 8));
    if (options.norm) norm_ = register_module("norm", torch::nn::BatchNorm1d(8));
    head_ = register_module("head", torch::nn::Linear(8, 1));
  }
  Tensors example_inputs() const override { return {{"x", torch::zeros({2, 3})}}; }
  Tensors forward(const Tensors& inputs) override {
    torch::Tensor x = hidden_(inputs["x"]);
    if (norm_) x = norm_(x);
    return {{"y", head_(torch::dropout(torch::relu(x), dropout_, is_training())).squeeze(1)}};
  }
  Tensors postprocess(Tensors outputs) const override { return {{"answer", outputs["y"] * 2}}; }
  torch::Tensor loss(const Tensors& outputs, const Tensors& batch) override {
    return torch::mse_loss(outputs["y"], batch["target"]);
  }
  void measure(const Tensors& outputs, const Tensors& batch, Metrics& metrics) const override {
    metrics.get<MeanAbsoluteError>("mae").update(outputs["y"], batch["target"]);
  }

 private:
  double dropout_;
  torch::nn::Linear hidden_{nullptr}, head_{nullptr};
  torch::nn::BatchNorm1d norm_{nullptr};
};

inline std::shared_ptr<TensorLoader> small_data(std::int64_t size = 50, std::uint64_t seed = 9) {
  auto generator = make_generator(seed);
  const torch::Tensor x = torch::randn({size, 3}, generator);
  return std::make_shared<TensorLoader>(Tensors{{"x", x}, {"target", x.sum(1) + 0.5}});
}

struct SmallSettings {
  TrainSettings train{.epochs = 3,
                      .device = "cpu",
                      .deterministic = true,
                      .optimizer = {.learning_rate = 0.01},
                      .data = {.batch_size = 8}};
  void declare(Knobs& knobs) { train.declare(knobs); }
};

class SmallTrainer : public Trainer {
 public:
  using Settings = SmallSettings;
  explicit SmallTrainer(const Settings& settings, std::shared_ptr<const DataLoader> data = small_data())
      : Trainer(settings.train, make_model(settings), std::move(data), small_data(20, 11)) {}

 private:
  static std::shared_ptr<Model> make_model(const Settings& settings) {
    seed_everything(settings.train.seed);
    return std::make_shared<SmallModel>();
  }
};

/// Parameters and buffers in one flat tensor, to compare to the bit.
inline torch::Tensor flat_weights(torch::nn::Module& model) {
  std::vector<torch::Tensor> parts;
  for (const auto& parameter : model.parameters()) parts.push_back(parameter.detach().flatten().to(torch::kDouble));
  for (const auto& buffer : model.buffers()) parts.push_back(buffer.detach().flatten().to(torch::kDouble));
  return torch::cat(parts);
}

}  // namespace base::testing

#endif  // TESTS_TRAIN_SMALL_RUN_H_
