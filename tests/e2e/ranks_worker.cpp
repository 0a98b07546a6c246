// ranks_worker.cpp: a small training, started once for each rank by ranks_test.py, which compares what the ranks write
// to OUT/rank-K.json: the loss of each step, the numbers of the examples of each step, and the weights at the end.
#include "base/torch.h"

#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/callbacks/callback_settings.h"
#include "base/callbacks/kpi.h"
#include "base/callbacks/stop_signal.h"
#include "base/config/settings.h"
#include "base/data/data_loader.h"
#include "base/log/error.h"
#include "base/log/log.h"
#include "base/metrics/error.h"
#include "base/model/freeze.h"
#include "base/tensor/device.h"
#include "base/train/trainer.h"

namespace {

struct Settings {
  std::string network = "plain";
  std::int64_t width = 16;
  std::int64_t table = 3;
  std::int64_t examples = 100;
  bool unknown = false;
  std::filesystem::path out = ".";
  std::filesystem::path run;
  std::int64_t nan_at = -1;
  std::chrono::milliseconds pause = {};
  base::TrainSettings train{.epochs = 3,
                            .device = "cpu",
                            .deterministic = true,
                            .log_every = 5,
                            .optimizer = {.learning_rate = 0.01},
                            .data = {.batch_size = 4}};
  base::CallbackSettings callbacks;

  void declare(base::Knobs& knobs) {
    knobs.add("network", network, "",
              {.choices = {"plain", "unused", "frozen", "unfrozen", "tied", "norm", "convolution", "deep"}});
    knobs.add("width", width, "of the hidden layer");
    knobs.add("table", table, "size of a buffer");
    knobs.add("examples", examples, "in the training data");
    knobs.add("unknown", unknown, "their number does not show before the end");
    knobs.add("out", out, "folder for what the ranks have to say");
    knobs.add("run", run, "the folder of the run");
    knobs.add("nan_at", nan_at, "number of an example that is not a number");
    knobs.add("pause", pause, "after each step");
    train.declare(knobs);
    knobs.section("callbacks", callbacks, "");
  }
};

class Points final : public base::DataLoader {
 public:
  Points(std::int64_t examples, bool unknown, std::int64_t nan_at)
      : examples_(examples), unknown_(unknown), nan_at_(nan_at) {}
  std::int64_t size() const override { return unknown_ ? kUnknownSize : examples_; }
  base::Example parse(std::int64_t index) const override {
    if (index >= examples_) return {};
    base::Random random(7, 0, static_cast<std::uint64_t>(index));
    std::vector<float> x(16);
    for (float& value : x) value = static_cast<float>(random.uniform(-1, 1));
    if (index == nan_at_) x[0] = std::nanf("");
    const torch::Tensor tensor = torch::tensor(x);
    return {{"x", tensor}, {"target", tensor.slice(0, 0, 4).sum()}, {"tail", torch::full({1 + index % 5}, index)}};
  }
  std::vector<base::Padding> ragged() const override { return {{"tail", -1}}; }

 private:
  std::int64_t examples_;
  bool unknown_;
  std::int64_t nan_at_;
};

class Network final : public base::Model {
 public:
  explicit Network(const Settings& settings) : kind_(settings.network) {
    first_ = register_module("first", torch::nn::Linear(16, settings.width));
    register_buffer("table", torch::zeros({settings.table}));
    if (kind_ == "norm") norm_ = register_module("norm", torch::nn::BatchNorm1d(settings.width));
    if (kind_ == "unused") other_ = register_module("other", torch::nn::Linear(16, settings.width));
    if (kind_ == "convolution") convolution_ = register_module("convolution", torch::nn::Conv2d(1, 3, 3));
    for (int i = 0; kind_ == "deep" && i < 10; ++i) {
      deep_->push_back(torch::nn::Linear(settings.width, settings.width));
      deep_->push_back(torch::nn::Tanh());
    }
    register_module("deep", deep_);
    last_ = register_module("last", torch::nn::Linear(settings.width, 1));
    if (kind_ == "frozen" || kind_ == "unfrozen") base::freeze(*this, {"first.*"});
    if (kind_ == "tied") register_module("again", first_);
  }
  base::Tensors example_inputs() const override { return {{"x", torch::zeros({2, 16})}}; }
  base::Tensors forward(const base::Tensors& inputs) override {
    torch::Tensor x = inputs["x"];
    if (convolution_) x = x + convolution_(x.view({-1, 1, 4, 4})).mean({1, 2, 3}).unsqueeze(1);
    // Which of the two layers is used depends on the data: another one on each rank.
    x = other_ && x.sum().item<double>() > 0 ? other_(x) : first_(x);
    if (norm_) x = norm_(x);
    if (!deep_->is_empty()) x = deep_->forward(x);
    return {{"y", last_(torch::tanh(x)).squeeze(1)}};
  }
  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    return torch::mse_loss(outputs["y"], batch["target"]);
  }
  void measure(const base::Tensors& outputs, const base::Tensors& batch, base::Metrics& metrics) const override {
    metrics.get<base::MeanAbsoluteError>("mae").update(outputs["y"], batch["target"]);
  }

 private:
  std::string kind_;
  torch::nn::Linear first_{nullptr}, other_{nullptr}, last_{nullptr};
  torch::nn::Sequential deep_;
  torch::nn::BatchNorm1d norm_{nullptr};
  torch::nn::Conv2d convolution_{nullptr};
};

std::string bytes_of(const torch::Tensor& tensor) {
  std::string text;
  const torch::Tensor bytes = tensor.detach().contiguous().view(-1).view(torch::kUInt8);
  const auto* first = bytes.const_data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < bytes.numel(); ++i) text += base::format("{:02x}", first[i]);
  return text;
}

/// On every rank: the loss of each step.
class Losses final : public base::Callback {
 public:
  explicit Losses(std::chrono::milliseconds pause) : pause_(pause) {}
  std::string name() const override { return "losses"; }
  bool runs_everywhere() const override { return true; }
  void on_iteration_end(const base::TrainState& state, base::TrainControl& /*control*/) override {
    losses.push_back(state.loss);
    std::this_thread::sleep_for(pause_);
  }
  std::vector<double> losses;

 private:
  std::chrono::milliseconds pause_;
};

/// Of all examples: that of the ranks' medians would be another one.
class Median final : public base::Kpi {
 public:
  Median() : Kpi({"y", "target"}) {}
  std::string name() const override { return "median"; }
  void update(const base::Tensors& data) override { errors_.push_back((data["y"] - data["target"]).abs()); }
  base::Results evaluate() override {
    return {{"median", torch::cat(std::exchange(errors_, {})).median().item<double>()}};
  }

 private:
  std::vector<torch::Tensor> errors_;
};

/// On the first: the examples of all ranks in each step, and what they say their loss is.
class Indices final : public base::Callback {
 public:
  std::string name() const override { return "indices"; }
  std::vector<std::string> needs() const override { return {"x", "loss", "tail"}; }
  std::optional<base::Tensors> process(const base::Tensors& data, const base::TrainState& state,
                                       base::TrainControl& /*control*/) override {
    if (data["x"].size(0) != static_cast<std::int64_t>(state.indices.size())) std::abort();
    steps.push_back(state.indices);
    losses.push_back(data["loss"].item<double>());
    tails.push_back(bytes_of(data["tail"]));
    return base::Tensors{};
  }
  std::vector<std::vector<std::int64_t>> steps;
  std::vector<double> losses;
  std::vector<std::string> tails;
};

std::string bytes_of(torch::nn::Module& model) {
  std::string text;
  for (const auto& parameter : model.parameters()) text += bytes_of(parameter);
  for (const auto& buffer : model.buffers()) text += bytes_of(buffer);
  return text;
}

int train(const Settings& settings, const base::Origins& origins) {
  base::seed_everything(settings.train.seed);
  base::Trainer trainer(settings.train, std::make_shared<Network>(settings),
                        std::make_shared<Points>(settings.examples, settings.unknown, settings.nan_at),
                        std::make_shared<Points>(13, settings.unknown, -1));
  auto losses = std::make_unique<Losses>(settings.pause);
  auto indices = std::make_unique<Indices>();
  const Losses& seen = *losses;
  const Indices& read = *indices;
  const bool first = trainer.world().is_first();  // only there `indices` is kept
  trainer.add(std::move(losses)).add(std::move(indices)).add(std::make_unique<Median>());
  trainer.add(std::make_unique<base::StopSignal>());
  base::add_callbacks(trainer, settings.callbacks, {}, base::settings_values(settings));
  if (!settings.run.empty()) {
    const auto run = base::RunFolder::choose(trainer.group(), settings.run, "", "");
    if (!trainer.set_run(run).restore() && first) base::write_settings(settings, run.config(), origins);
  }
  if (settings.network == "unfrozen") {
    trainer.train(5);
    base::unfreeze(trainer.model());
  }
  trainer.run();

  nlohmann::json said{{"losses", seen.losses}, {"weights", bytes_of(trainer.model())}, {"step", trainer.state().step}};
  if (first) said["indices"] = read.steps;
  if (first) said["losses_in_data"] = read.losses;
  if (first) said["tails"] = read.tails;
  for (const auto& [name, value] : trainer.state().validation) said["validation"][name] = value;
  for (const auto& [name, value] : trainer.state().training) said["training"][name] = value;
  std::filesystem::create_directories(settings.out);
  std::ofstream(settings.out / base::format("rank-{}.json", trainer.world().rank)) << said;
  return trainer.group().any(base::StopSignal::received()) ? base::StopSignal::kExitCode : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    const auto origins = base::load_settings(settings, argc, argv, {.description = "A small training."});
    return origins ? train(settings, *origins) : 0;
  });
}
