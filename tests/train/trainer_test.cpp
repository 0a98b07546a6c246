#include "base/torch.h"

#include "base/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "base/log/error.h"
#include "tests/train/small_run.h"
#include "tests/train/when.h"

namespace base::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Trainer, LearnsALine) {
  SmallTrainer trainer(
      {.train = {.epochs = 60, .device = "cpu", .optimizer = {.learning_rate = 0.02}, .data = {.batch_size = 8}}});
  trainer.validate();
  const double before = result_of(trainer.state().validation, "loss");
  trainer.run();
  EXPECT_LT(result_of(trainer.state().validation, "loss"), 0.2 * before);
  EXPECT_EQ(trainer.state().epoch, 60);
  EXPECT_EQ(trainer.state().step, 60 * 7);
}

TEST(Trainer, MeasuresEveryBatchOfAnEpochHoweverSeldomItLogs) {
  const auto figure = [](std::int64_t log_every) {
    SmallSettings settings;
    settings.train.epochs = 1;
    settings.train.log_every = log_every;
    return result_of(SmallTrainer(settings).run().state().training, "mae");
  };
  EXPECT_EQ(figure(1000), figure(1));
}

TEST(Trainer, WarnsOfDataThatAreNotOfTheTypeThatIsServed) {
  class Whole final : public SmallModel {
   public:
    Tensors preprocess(Tensors inputs) const override { return {{"x", inputs["x"].to(torch::kFloat)}}; }
  };
  const auto warning = [](torch::ScalarType type) {
    const auto data =
        std::make_shared<TensorLoader>(Tensors{{"x", torch::ones({16, 3}, type)}, {"target", torch::ones({16})}});
    Trainer trainer({.epochs = 2, .device = "cpu"}, std::make_shared<Whole>(), data);
    ::testing::internal::CaptureStderr();
    trainer.run();
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warning(torch::kUInt8), HasSubstr("x of the data is uint8 [16, 3] where example_inputs()"));
  EXPECT_THAT(warning(torch::kFloat), ::testing::Not(HasSubstr("example_inputs()")));
}

TEST(Trainer, GivesControlBackAfterEachCall) {
  const TemporaryFolder folder;
  SmallTrainer trainer({});
  trainer.set_run(RunFolder::make(folder.path()));
  trainer.train().validate();
  EXPECT_EQ(trainer.state().epoch, 1);
  EXPECT_FALSE(trainer.state().validation.empty());
  trainer.save_checkpoint();
  trainer.train(3).train(5);
  EXPECT_EQ(trainer.state().step, 7 + 8);
  EXPECT_EQ(trainer.state().epoch, 2);
  EXPECT_TRUE(trainer.restore());
  EXPECT_EQ(trainer.state().step, 7);
}

TEST(Trainer, FiresTheEventsOfTheChart) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.epochs = 1;
  settings.train.data.limit = 16;
  SmallTrainer trainer(settings);
  std::vector<std::string> events;
  trainer.set_run(RunFolder::make(folder.path()))
      .add(std::make_unique<When>([&](const auto& event, const auto&, auto& control) {
        events.push_back(event);
        if (event == "epoch_end") control.save = true;
      }));
  trainer.run();
  EXPECT_THAT(events,
              ElementsAre("begin", "epoch_begin", "iteration_begin", "iteration_end", "iteration_begin",
                          "iteration_end", "epoch_end", "validation_begin", "validation_end", "checkpoint", "end"));
}

TEST(Trainer, StopsWhenACallbackAsks) {
  SmallTrainer trainer({});
  trainer.add(std::make_unique<When>([](const auto& event, const auto& state, auto& control) {
    if (event == "iteration_end" && state.step == 4) control.stop = "enough";
  }));
  trainer.run();
  EXPECT_EQ(trainer.state().step, 4);
  EXPECT_TRUE(trainer.state().validation.empty()) << "who stops a run may have no time for it";
}

TEST(Trainer, EndsBySteps) {
  SmallSettings settings;
  settings.train.steps = 9;
  SmallTrainer trainer(settings);
  trainer.run();
  EXPECT_EQ(trainer.state().step, 9);
  EXPECT_FALSE(trainer.state().validation.empty()) << "the end of a run is validated too";
}

TEST(Trainer, EndsByTime) {
  SmallSettings settings;
  settings.train.epochs = 0;
  settings.train.time = std::chrono::milliseconds(50);
  SmallTrainer trainer(settings);
  trainer.run();
  EXPECT_GE(trainer.state().seconds, 0.05);
}

TEST(Trainer, AccumulatesTheGradientsOfSmallBatchesToThoseOfALargeOne) {
  const auto weights = [](std::int64_t batch_size, std::int64_t accumulate) {
    SmallSettings settings;
    settings.train.epochs = 2;
    settings.train.accumulate = accumulate;
    settings.train.data.batch_size = batch_size;
    settings.train.optimizer.kind = "sgd";
    seed_everything(1);
    const auto model = std::make_shared<SmallModel>(SmallModel::Options{.dropout = 0, .norm = false});
    Trainer trainer(settings.train, model, small_data(48));
    trainer.run();
    return flat_weights(*model);
  };
  EXPECT_TRUE(weights(16, 1).allclose(weights(4, 4), 1e-4, 1e-6));
  EXPECT_TRUE(weights(48, 1).allclose(weights(12, 4), 1e-4, 1e-6));
}

TEST(Trainer, TakesTheMeanOfFewerBatchesAtTheEndOfAnEpoch) {
  const auto weights = [](std::int64_t accumulate) {
    SmallSettings settings;
    settings.train.epochs = 1;
    settings.train.accumulate = accumulate;
    settings.train.optimizer.kind = "sgd";
    seed_everything(1);
    const auto model = std::make_shared<SmallModel>(SmallModel::Options{.dropout = 0, .norm = false});
    Trainer trainer(settings.train, model, small_data(16));  // two batches
    trainer.run();
    return std::pair(flat_weights(*model), trainer.state().step);
  };
  const auto [two, two_steps] = weights(2);
  const auto [many, many_steps] = weights(100);
  EXPECT_EQ(two_steps, 1);
  EXPECT_EQ(many_steps, 1);
  EXPECT_TRUE(two.allclose(many, 1e-4, 1e-6));
}

TEST(Trainer, StopsAtALossThatIsNotANumberAndNamesTheParameter) {
  SmallTrainer trainer({});
  trainer.add(std::make_unique<When>([&](const auto& event, const auto& state, auto&) {
    if (event != "iteration_begin" || state.step != 3) return;
    const torch::NoGradGuard no_grad;
    trainer.model().named_parameters()["head.bias"].fill_(std::nan(""));
  }));
  const std::string message = error_of([&] { trainer.run(); }, ErrorKind::kTraining);
  EXPECT_THAT(message, HasSubstr("the loss is nan at step 4"));
  EXPECT_THAT(message, HasSubstr("head.bias"));
  EXPECT_THAT(message, HasSubstr("\n  fix: "));
}

TEST(Trainer, EvaluatesOtherData) {
  SmallTrainer trainer({});
  const Results own = trainer.validate().state().validation;
  const auto same = small_data(20, 11);
  EXPECT_EQ(trainer.evaluate(*same), own);
  const auto other = small_data(20, 12);
  EXPECT_NE(trainer.evaluate(*other), own);
}

class CountedLoader final : public TensorLoader {
 public:
  using TensorLoader::TensorLoader;
  Batch make_batch(std::span<const std::int64_t> indices, const Draw& draw) const override {
    ++made;
    return TensorLoader::make_batch(indices, draw);
  }
  mutable std::atomic<int> made = 0;
};

TEST(Trainer, PredictsABatchAtATimeWhenAsked) {
  SmallSettings settings;
  settings.train.data.threads = 0;
  SmallTrainer trainer(settings);
  const torch::Tensor x = torch::randn({20, 3});
  const CountedLoader data({{"x", x}});
  int batches = 0;
  for (const Prediction& prediction : trainer.predict(data)) {
    EXPECT_EQ(data.made, batches + 2) << "this one and the next";
    const torch::Tensor rows = x.slice(0, 8 * batches, 8 * batches + 8);
    EXPECT_TRUE(prediction.outputs["answer"].allclose(trainer.predict({{"x", rows}})["answer"]));
    EXPECT_EQ(prediction.batch.indices.front(), 8 * batches);
    if (++batches == 2) break;
  }
  EXPECT_EQ(data.made, 3);
}

TEST(Trainer, RefusesInputsOfAnotherName) {
  SmallTrainer trainer({});
  EXPECT_THAT(error_of([&] { trainer.predict({{"z", torch::zeros({2, 3})}}); }, ErrorKind::kUsage), HasSubstr("x"));
}

class Labelled final : public SmallModel {
 public:
  void check(const Tensors& batch, const NameOfExample& name) const override { check_labels(batch["label"], 10, name); }
};

TEST(Trainer, RefusesALabelOutOfRangeAndNamesTheExample) {
  const torch::Tensor labels = torch::zeros({20}, torch::kLong);
  labels[13] = 10;
  SmallSettings settings;
  settings.train.data.shuffle = false;
  Trainer trainer(settings.train, std::make_shared<Labelled>(),
                  std::make_shared<TensorLoader>(
                      Tensors{{"x", torch::zeros({20, 3})}, {"target", torch::zeros({20})}, {"label", labels}}));
  const std::string message = error_of([&] { trainer.run(); }, ErrorKind::kData);
  EXPECT_THAT(message, HasSubstr("10"));
  EXPECT_THAT(message, HasSubstr("example 13"));
}

TEST(Trainer, ValidatesWithTheAverageOfTheWeights) {
  SmallSettings settings;
  settings.train.average = {.decay = 0.9, .evaluate = true};
  SmallTrainer averaged(settings);
  averaged.run();
  settings.train.average.evaluate = false;
  SmallTrainer raw(settings);
  raw.run();
  EXPECT_TRUE(flat_weights(averaged.model()).equal(flat_weights(raw.model())))
      << "the average must not change the training";
  EXPECT_NE(averaged.state().validation, raw.state().validation);
}

TEST(Trainer, ComputesInBfloat16) {
  SmallSettings settings;
  settings.train.precision = "bf16";
  SmallTrainer trainer(settings);
  trainer.run();
  SmallTrainer exact({});
  exact.run();
  EXPECT_FALSE(flat_weights(trainer.model()).equal(flat_weights(exact.model())));
  EXPECT_NEAR(result_of(trainer.state().validation, "loss"), result_of(exact.state().validation, "loss"), 0.2);
}

TEST(Trainer, RefusesHalfPrecisionOnTheCpu) {
  SmallSettings settings;
  settings.train.precision = "fp16";
  EXPECT_THAT(error_of([&] { SmallTrainer trainer(settings); }, ErrorKind::kConfig), HasSubstr("fp16 needs a GPU"));
}

TEST(Trainer, RefusesADeviceThatIsNone) {
  SmallSettings settings;
  settings.train.device = "gpu";
  EXPECT_THAT(error_of([&] { SmallTrainer trainer(settings); }, ErrorKind::kConfig),
              HasSubstr("this is not a device: gpu"));
}

TEST(Trainer, RefusesAScoreThatValidationDoesNotGive) {
  SmallSettings settings;
  settings.train.score = "acuracy";
  SmallTrainer trainer(settings);
  EXPECT_THAT(error_of([&] { trainer.run(); }, ErrorKind::kConfig),
              HasSubstr("acuracy\n  fix: set score to one of loss, mae"));
}

TEST(Trainer, SmokesThroughEveryStage) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.smoke = true;
  SmallTrainer trainer(settings);
  std::vector<std::string> events;
  trainer.set_run(RunFolder::make(folder.path()))
      .add(std::make_unique<When>([&](const auto& event, const auto&, auto&) { events.push_back(event); }));
  trainer.run();
  EXPECT_EQ(trainer.state().step, 1);
  EXPECT_EQ(std::ranges::count(events, "validation_end"), 1);
  EXPECT_EQ(std::ranges::count(events, "checkpoint"), 1);
}

TEST(Trainer, DoesNotTrainInAFolderWhereAnotherDoes) {
  const TemporaryFolder folder;
  SmallTrainer first({});
  first.set_run(RunFolder::make(folder.path())).train(1);
  SmallTrainer second({});
  second.set_run(RunFolder::open(folder.path()));
  EXPECT_THAT(error_of([&] { second.train(1); }, ErrorKind::kCheckpoint), HasSubstr("another run is writing"));
  EXPECT_EQ(second.state().step, 0);
  first.train(1).save_checkpoint();
  EXPECT_EQ(first.state().step, 2);
}

TEST(Trainer, HasNoCheckpointsWithoutARunFolder) {
  SmallTrainer trainer({});
  EXPECT_THAT(error_of([&] { trainer.save_checkpoint(); }, ErrorKind::kUsage), HasSubstr("set_run"));
}

}  // namespace
}  // namespace base::testing
