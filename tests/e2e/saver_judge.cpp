// saver_judge.cpp FOLDER: what a network of one factor makes of 10,000 samples, saved in validation and in prediction,
// with names that are inferred (FOLDER/inferred) and that the data give (FOLDER/given), for saver_judge_test.py to read
// back.
#include "base/torch.h"

#include "base/callbacks/callback_settings.h"
#include "base/data/tensor_loader.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/train/trainer.h"

namespace {

constexpr std::int64_t kSamples = 10'000;

class Factor final : public base::Model {
 public:
  Factor() { factor_ = register_parameter("factor", torch::full({1}, 2.0)); }
  base::Tensors example_inputs() const override { return {{"x", torch::zeros({1, 4, 25})}}; }
  base::Tensors forward(const base::Tensors& inputs) override {
    return {{"y", inputs["x"] * factor_}, {"factor", factor_.detach()}};
  }
  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    return (outputs["y"] - batch["x"]).square().mean();
  }

 private:
  torch::Tensor factor_;
};

std::shared_ptr<base::TensorLoader> data() {
  std::vector<std::string> names;
  std::vector<std::string> sequences;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    names.push_back(base::format("group-{}/sample {}", i % 7, i));
    sequences.push_back(base::format("sequence-{}", i / 500));
  }
  return std::make_shared<base::TensorLoader>(
      base::Tensors{{"x", torch::arange(kSamples * 100, torch::kFloat).view({kSamples, 4, 25})},
                    {"number", torch::arange(kSamples, torch::kLong)},
                    {"name", base::rows_of_texts(names)},
                    {"sequence", base::rows_of_texts(sequences)}});
}

void save(const std::filesystem::path& folder, bool with_names) {
  base::CallbackSettings callbacks;
  callbacks.use = {"sample_saver", "record_saver"};
  const std::vector<std::string> keys{"x", "y", "number", "factor"};
  callbacks.sample_saver.keys = callbacks.record_saver.keys = keys;
  callbacks.sample_saver.not_batched = callbacks.record_saver.not_batched = {"factor"};
  callbacks.sample_saver.modes = callbacks.record_saver.modes = {"validation", "predict"};
  callbacks.record_saver.max_megabytes = 1;
  if (with_names) {
    callbacks.sample_saver.names_key = "name";
    callbacks.record_saver.names_key = "sequence";
  }
  base::TrainSettings settings;
  settings.device = "cpu";
  settings.data.batch_size = 64;
  base::Trainer trainer(settings, std::make_shared<Factor>(), data(), data());
  base::add_callbacks(trainer, callbacks);
  trainer.set_run(base::RunFolder::make(folder)).validate();
  const auto samples = data();
  for (const base::Prediction& prediction : trainer.predict(*samples)) static_cast<void>(prediction);
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    if (argc != 2) throw base::Error(base::ErrorKind::kUsage, "one folder is needed", "", "saver_judge FOLDER");
    save(std::filesystem::path(argv[1]) / "inferred", false);
    save(std::filesystem::path(argv[1]) / "given", true);
    return 0;
  });
}
