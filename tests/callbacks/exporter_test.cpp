#include "base/torch.h"

#include "base/callbacks/exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/artifact/artifact.h"
#include "base/export/export_model.h"
#include "base/infer/backend.h"
#include "base/log/error.h"
#include "base/tensor/tensor_view.h"
#include "tests/tensor/message_of.h"
#include "tests/train/small_run.h"

namespace base::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename() != ".lock") names.insert(entry.path().filename());
  return names;
}

/// Three epochs of seven steps with an exporter, whose exports are in run/exports.
void train(const TemporaryFolder& folder, const ExporterSettings& exporter, SmallSettings settings = {}) {
  SmallTrainer trainer(settings);
  trainer.set_run(RunFolder::make(folder / "run"));
  trainer.add(std::make_unique<Exporter>(exporter, trainer, "small"));
  trainer.run();
}

/// What ONNX Runtime says to three points.
torch::Tensor answer_of(const std::filesystem::path& exported, const torch::Tensor& x) {
  const auto backend = load_backend(exported, "cpu");
  const std::vector<TensorView> inputs{view_of("x", x)};
  return tensor_of(backend->run(inputs).front());
}

TEST(Exporter, ExportsAfterEveryValidationAndKeepsTheNewest) {
  const TemporaryFolder folder;
  train(folder, {});
  EXPECT_THAT(names_in(folder / "run/exports"), ElementsAre("14", "21"));
  const Artifact artifact = Artifact::open(folder / "run/exports/21");
  EXPECT_EQ(artifact.manifest().model, "small");
  EXPECT_EQ(artifact.manifest().step, 21);
  EXPECT_TRUE(artifact.manifest().metrics.contains("mae"));
  for (const auto name : {kOnnxFile, kTorchScriptFile, kWeightsFile}) EXPECT_TRUE(artifact.has(name)) << name;
}

TEST(Exporter, ExportsEverySecondValidation) {
  const TemporaryFolder folder;
  train(folder, {.every = 2, .keep = 0});
  EXPECT_THAT(names_in(folder / "run/exports"), ElementsAre("14"));
}

TEST(Exporter, ExportsTheBestOnly) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.optimizer.learning_rate = 0;  // only the statistics of the norm change, and the loss grows with them
  settings.train.score = "loss";
  for (const bool lower_is_better : {true, false}) {
    settings.train.lower_is_better = lower_is_better;
    train(folder, {.best_only = true, .keep = 0}, settings);
    EXPECT_EQ(names_in(folder / "run/exports").size(), lower_is_better ? 1U : 3U);
    std::filesystem::remove_all(folder / "run");
  }
}

TEST(Exporter, ExportsWhatTheTrainerServes) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.average.decay = 0.9;
  SmallTrainer trainer(settings);
  trainer.set_run(RunFolder::make(folder / "run"));
  trainer.add(std::make_unique<Exporter>(ExporterSettings{}, trainer, "small"));
  trainer.run();
  const torch::Tensor x = torch::randn({3, 3});
  const torch::Tensor served = trainer.predict({{"x", x}})["answer"];
  EXPECT_TRUE(torch::allclose(answer_of(folder / "run/exports/21", x), served, 1e-4, 1e-5));
  EXPECT_EQ(trainer.model().mode(), Model::Mode::kTrain);
  EXPECT_FALSE(torch::allclose(trainer.model().run({{"x", x}})["y"] * 2, served)) << "the average is what is served";
}

TEST(Exporter, LeavesTheTrainingAsItWouldBe) {
  const auto weights_after = [](bool exports) {
    const TemporaryFolder folder;
    SmallTrainer trainer(SmallSettings{});
    trainer.set_run(RunFolder::make(folder / "run"));
    if (exports) trainer.add(std::make_unique<Exporter>(ExporterSettings{}, trainer, "small"));
    trainer.run();
    return flat_weights(trainer.model());
  };
  EXPECT_TRUE(torch::equal(weights_after(true), weights_after(false)));
}

TEST(Exporter, WritesHalfAndEightBitsBesideTheRest) {
  const TemporaryFolder folder;
  SmallTrainer trainer(SmallSettings{});
  trainer.set_run(RunFolder::make(folder / "run")).run();
  const torch::Tensor x = torch::randn({5, 3});
  const torch::Tensor served = trainer.predict({{"x", x}})["answer"];
  for (const auto& [precision, tolerance] : {std::pair("fp16", 0.02), std::pair("int8", 0.2)}) {
    const auto exported = export_run(trainer, {.precision = precision, .calibration_batches = 4}, "small");
    EXPECT_EQ(exported.filename(), std::string("21-") + precision);
    const double difference = (answer_of(exported, x) - served).abs().max().item<double>();
    EXPECT_LT(difference, tolerance * served.abs().max().item<double>()) << precision;
  }
}

/// Answers by the clock of its calls: no two exports of it could agree.
class Moody final : public SmallModel {
 public:
  Tensors postprocess(Tensors outputs) const override {
    return {{"answer", outputs["y"] * static_cast<double>(++calls_)}};
  }

 private:
  mutable std::int64_t calls_ = 0;
};

TEST(ExportModel, PublishesNothingThatAnswersOtherwise) {
  const TemporaryFolder folder;
  Moody model;
  torch::manual_seed(7);
  const torch::Tensor next = torch::rand({4});
  torch::manual_seed(7);
  EXPECT_THAT(message_of(ErrorKind::kExport, [&] { export_model(model, {.folder = folder / "exports/1"}); }),
              ::testing::Not(::testing::IsEmpty()));
  EXPECT_FALSE(std::filesystem::exists(folder / "exports/1"));
  EXPECT_EQ(model.mode(), Model::Mode::kTrain);
  EXPECT_TRUE(torch::equal(torch::rand({4}), next)) << "the training draws other numbers";
}

/// Takes series of any length from 3 on.
class Series final : public Model {
 public:
  Series() { layer_ = register_module("layer", torch::nn::Conv1d(1, 2, 3)); }
  Tensors example_inputs() const override { return {{"x", torch::ones({1, 1, 8})}}; }
  std::vector<DynamicAxis> dynamic_axes() const override { return {{"x", 0, "batch"}, {"x", 2, "time"}}; }
  Tensors forward(const Tensors& inputs) override { return {{"y", layer_(inputs["x"])}}; }
  torch::Tensor loss(const Tensors& outputs, const Tensors&) override { return outputs["y"].mean(); }

 private:
  torch::nn::Conv1d layer_{nullptr};
};

TEST(ExportModel, RunsInLibTorchWhichSaysWhyItCannot) {
  const TemporaryFolder folder;
  Series model;
  export_model(model, {.folder = folder / "1"});
  const auto backend = load_backend(folder / "1", "torch");
  const auto run = [&](std::int64_t time) {
    const torch::Tensor x = torch::ones({1, 1, time});
    return backend->run(std::vector{view_of("x", x)})[0].shape;
  };
  EXPECT_THAT(run(5), ElementsAre(1, 2, 3));
  EXPECT_THAT(message_of(ErrorKind::kBackend, [&] { run(2); }), HasSubstr("Kernel size can't be greater"));
}

TEST(ExportModel, NeedsDataForEightBits) {
  const TemporaryFolder folder;
  SmallModel model;
  EXPECT_THAT(message_of(ErrorKind::kUsage,
                         [&] { export_model(model, {.folder = folder / "1", .manifest = {.precision = "int8"}}); }),
              AllOf(HasSubstr("int8 needs data"), HasSubstr("fp16")));
}

}  // namespace
}  // namespace base::testing
