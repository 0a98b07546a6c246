// What the settings and the hooks do to a training, seen from outside.
#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/log/error.h"
#include "tests/train/small_run.h"
#include "tests/train/when.h"

namespace base::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::shared_ptr<SmallModel> plain_model() {
  seed_everything(1);
  return std::make_shared<SmallModel>(SmallModel::Options{.dropout = 0, .norm = false});
}

/// How far one step of plain gradient descent moves the weights.
double moved_by(TrainSettings settings) {
  settings.device = "cpu";
  settings.optimizer = {.kind = "sgd", .learning_rate = 0.1, .momentum = 0};
  const auto model = plain_model();
  const torch::Tensor before = flat_weights(*model);
  Trainer trainer(settings, model, small_data());
  trainer.train(1);
  return (flat_weights(*model) - before).norm().item<double>();
}

TEST(Loop, RefusesALossThatIsNoNumberToMakeSmaller) {
  class OwnLoss final : public SmallModel {
   public:
    explicit OwnLoss(bool is_constant) : is_constant_(is_constant) {}
    torch::Tensor loss(const Tensors& outputs, const Tensors& batch) override {
      return is_constant_ ? torch::mse_loss(outputs["y"].detach(), batch["target"]) : outputs["y"] - batch["target"];
    }

   private:
    bool is_constant_;
  };
  const auto message = [](bool is_constant) {
    Trainer trainer({.device = "cpu", .data = {.batch_size = 8}}, std::make_shared<OwnLoss>(is_constant), small_data());
    try {
      trainer.train(1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kTraining);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(false),
            "training error: loss() of the model does not give one number: float32 [8]\n"
            "  fix: take the mean of what it is for each example");
  EXPECT_EQ(message(true),
            "training error: the loss depends on no parameter that is trained: float32 []\n"
            "  fix: compute it from what forward() gives, without detach() or item(), and leave some layers to train");
}

TEST(Loop, FollowsTheSchedule) {
  SmallSettings settings;
  settings.train.schedule = {.kind = "exponential", .warmup_steps = 2, .period = 3, .factor = 0.5};
  SmallTrainer trainer(settings);
  const auto schedule = Schedule::make(settings.train.schedule, 21);
  for (std::int64_t step = 0; step < 9; ++step) {
    trainer.train(1);
    EXPECT_DOUBLE_EQ(trainer.state().learning_rate, 0.01 * schedule->factor(step));
  }
}

TEST(Loop, ClipsTheGradients) {
  const double free = moved_by({});
  EXPECT_NEAR(moved_by({.clip_norm = 0.01}), 0.1 * 0.01, 1e-6);
  EXPECT_GT(free, 0.1 * 0.01);
  EXPECT_LT(moved_by({.clip_value = 1e-4}), 0.1 * 1e-4 * std::sqrt(41.0) + 1e-9) << "41 weights, each at most that";
}

TEST(Loop, MovesEachGroupOfParametersAsItSays) {
  class HeadOnly final : public SmallTrainer {
   public:
    using SmallTrainer::SmallTrainer;
    std::vector<ParameterGroup> parameter_groups() override {
      ParameterGroup head, rest{.parameters = {}, .learning_rate_factor = 0};
      for (const auto& item : model().named_parameters())
        (item.key().starts_with("head") ? head : rest).parameters.push_back({item.key(), item.value()});
      return {head, rest};
    }
  };
  HeadOnly trainer(SmallSettings{.train = {.device = "cpu", .optimizer = {.weight_decay = 0}}});
  const auto weight = [&](const char* name) { return trainer.model().named_parameters()[name].detach().clone(); };
  const torch::Tensor hidden = weight("hidden.weight"), head = weight("head.weight");
  trainer.train(3);
  EXPECT_TRUE(weight("hidden.weight").equal(hidden));
  EXPECT_FALSE(weight("head.weight").equal(head));
}

TEST(Loop, LaysOutTheWeightsOfPicturesWithTheirChannelsLast) {
  class Pictures final : public SmallModel {
   public:
    Pictures() { conv_ = register_module("conv", torch::nn::Conv2d(3, 4, 3)); }
    Tensors example_inputs() const override { return {{"x", torch::zeros({1, 3, 8, 8})}}; }

   private:
    torch::nn::Conv2d conv_{nullptr};
  };
  const auto is_last = [](const std::string& layout) {
    const auto model = std::make_shared<Pictures>();
    const Trainer trainer({.device = "cpu", .layout = layout}, model, small_data());
    return model->named_parameters()["conv.weight"].is_contiguous(torch::MemoryFormat::ChannelsLast);
  };
  EXPECT_TRUE(is_last("auto"));
  EXPECT_FALSE(is_last("contiguous"));
}

TEST(Loop, ValidatesOnTheTrainingDataWhenItIsToOverfit) {
  SmallSettings settings;
  settings.train.epochs = 1;
  settings.train.data.overfit = 1;
  SmallTrainer trainer(settings);
  trainer.run();
  const TensorLoader same(small_data()->make_batch(std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}, {}).tensors);
  EXPECT_EQ(trainer.state().validation, trainer.evaluate(same));
}

TEST(Loop, WeighsEveryExampleOfAStepAlike) {
  const auto weights = [](std::int64_t batch_size, std::int64_t accumulate) {
    const auto model = plain_model();
    Trainer trainer({.epochs = 1,
                     .device = "cpu",
                     .accumulate = accumulate,
                     .optimizer = {.kind = "sgd", .learning_rate = 0.1},
                     .data = {.batch_size = batch_size}},
                    model, small_data(10));
    trainer.run();
    EXPECT_EQ(trainer.state().step, 1);
    return flat_weights(*model);
  };
  const torch::Tensor at_once = weights(10, 1);
  EXPECT_TRUE(weights(4, 3).allclose(at_once, 1e-5, 1e-7)) << "batches of 4, 4 and 2";
  EXPECT_TRUE(weights(4, 100).allclose(at_once, 1e-5, 1e-7)) << "the epoch ends before the step is full";
}

TEST(Loop, TellsTheMeanLossOfTheExamplesOfAnEpoch) {
  const auto loss = [](std::int64_t batch_size) {
    Trainer trainer({.epochs = 1,
                     .device = "cpu",
                     .optimizer = {.kind = "sgd", .learning_rate = 1e-12},
                     .data = {.batch_size = batch_size}},
                    plain_model(), small_data(10));
    return result_of(trainer.run().state().training, "loss");
  };
  EXPECT_NEAR(loss(4), loss(10), 1e-6);
}

TEST(Loop, RefusesAValidationWithoutFigures) {
  class Silent final : public SmallTrainer {
   public:
    using SmallTrainer::SmallTrainer;
    Tensors validation_step(const Tensors& batch, Metrics& /*metrics*/) override { return model().run(batch); }
  };
  Silent trainer(SmallSettings{});
  EXPECT_THAT(error_of([&] { trainer.run(); }, ErrorKind::kConfig), HasSubstr("validation gives no figures"));
}

TEST(Loop, KeepsAsTheBestWhatWasValidated) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.checkpoint = {.keep_last = 1, .keep_best = 1};
  SmallTrainer trainer(settings);
  trainer.set_run(RunFolder::make(folder.path()));
  trainer.train().validate().save_checkpoint();
  trainer.train(3).save_checkpoint();
  trainer.train(1).save_checkpoint();
  EXPECT_TRUE(trainer.restore("best"));
  EXPECT_EQ(trainer.state().step, 7);
  EXPECT_TRUE(trainer.restore("latest"));
  EXPECT_EQ(trainer.state().step, 11);
}

TEST(Loop, SavesNoWeightsThatAreNotNumbers) {
  const TemporaryFolder folder;
  SmallTrainer trainer({});
  trainer.set_run(RunFolder::make(folder.path()));
  trainer.train(2).save_checkpoint();
  trainer.train(1);
  {
    const torch::NoGradGuard no_grad;
    trainer.model().named_parameters()["head.bias"].fill_(std::numeric_limits<float>::infinity());
  }
  trainer.save_checkpoint();
  const std::string message = error_of([&] { trainer.save_checkpoint(); }, ErrorKind::kTraining);
  EXPECT_THAT(message, HasSubstr("the weights of step 3 are not saved: not all of them are numbers: head.bias"));
  EXPECT_TRUE(trainer.restore());
  EXPECT_EQ(trainer.state().step, 2);
}

TEST(Loop, SmokesInNoFolderWhereARunHasBegun) {
  const TemporaryFolder folder;
  SmallSettings settings;
  SmallTrainer(settings).set_run(RunFolder::make(folder.path())).train(2).save_checkpoint();
  settings.train.smoke = true;
  SmallTrainer trainer(settings);
  trainer.set_run(RunFolder::open(folder.path()));
  EXPECT_THAT(error_of([&] { trainer.restore(); }, ErrorKind::kUsage), HasSubstr("this run has begun"));
}

TEST(Loop, GoesOnWithTheValidationThatAStopCutShort) {
  SmallSettings settings;
  settings.train.schedule = {.kind = "plateau", .factor = 0.5, .patience = 0, .threshold = 10};  // no progress ever
  settings.train.validation_batch_size = 4;
  SmallTrainer whole(settings);
  whole.run();

  const TemporaryFolder folder;
  std::vector<std::string> events;
  {
    SmallTrainer stopped(settings);
    stopped.set_run(RunFolder::make(folder.path()));
    stopped.add(std::make_unique<When>(
        [&](const auto& event, const auto& state, auto& control) {
          events.push_back(event);
          if (event != "iteration_end" || state.mode != Model::Mode::kEval || state.iteration != 2) return;
          control.stop = "the night";
          control.save = true;
        },
        /*in_validation=*/true));
    stopped.run();
    EXPECT_EQ(stopped.state().step, 7);
    EXPECT_THAT(events, Not(::testing::Contains("validation_end")));
    EXPECT_THAT(stopped.state().validation, IsEmpty());
  }
  SmallTrainer resumed(settings);
  resumed.set_run(RunFolder::open(folder.path()));
  events.clear();
  resumed.add(std::make_unique<When>([&](const auto& event, const auto&, auto&) { events.push_back(event); }));
  EXPECT_TRUE(resumed.restore());
  resumed.run();
  std::erase_if(events, [](const std::string& event) { return event.starts_with("iteration"); });
  EXPECT_THAT(std::vector(events.begin(), events.begin() + 5),
              ElementsAre("begin", "validation_begin", "validation_end", "checkpoint", "epoch_begin"));
  EXPECT_TRUE(flat_weights(resumed.model()).equal(flat_weights(whole.model())));
  EXPECT_TRUE(resumed.restore("best")) << "the checkpoint got its score";
}

}  // namespace
}  // namespace base::testing
