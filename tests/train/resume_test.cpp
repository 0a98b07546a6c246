#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/callbacks/callback_settings.h"
#include "base/log/error.h"
#include "base/train/trainer.h"
#include "tests/train/small_run.h"

namespace base::testing {
namespace {

using ::testing::HasSubstr;

/// Everything on that could make a run differ from itself.
SmallSettings demanding_settings() {
  SmallSettings settings;
  settings.train.epochs = 3;
  settings.train.accumulate = 2;
  settings.train.clip_norm = 1.0;
  settings.train.schedule = {.kind = "plateau", .warmup_steps = 3, .patience = 0};
  settings.train.average = {.decay = 0.9};
  settings.train.checkpoint = {.every_steps = 1, .every_epochs = 1, .keep_last = 100};
  return settings;
}

std::string stem(std::int64_t step) {
  return "step-" + std::to_string(step);
}

TEST(Resume, IsExactFromEveryStep) {
  const TemporaryFolder folder;
  SmallSettings settings = demanding_settings();
  SmallTrainer whole(settings);
  add_callbacks(whole);
  whole.set_run(RunFolder::make(folder.path() / "whole")).run();
  ASSERT_EQ(whole.state().step, 12);  // 7 batches, two a step, in three epochs

  for (std::int64_t step = 1; step <= 12; ++step) {
    settings.train.data.threads = static_cast<int>(step % 3) * 2;
    SmallTrainer again(settings);
    add_callbacks(again);
    again.set_run(RunFolder::make(folder.path() / stem(step)));
    ASSERT_TRUE(again.restore((folder.path() / "whole" / "checkpoints" / stem(step)).string()));
    ASSERT_EQ(again.state().step, step);
    again.run();
    EXPECT_TRUE(flat_weights(again.model()).equal(flat_weights(whole.model()))) << "from step " << step;
    EXPECT_EQ(again.state().validation, whole.state().validation);
    if (step < 12) {
      EXPECT_EQ(again.state().training, whole.state().training) << "from step " << step;
    }
  }
}

/// Asks for a stop after a batch whose gradients wait for those of the next.
class StopsInTheMiddleOfAStep final : public Callback {
 public:
  std::string name() const override { return "stops_in_the_middle_of_a_step"; }
  void on_iteration_end(const TrainState& state, TrainControl& control) override {
    if (state.iteration == 3) control.stop = "asked to";
  }
};

TEST(Resume, IsExactAfterAStopInTheMiddleOfAStep) {
  const TemporaryFolder folder;
  SmallTrainer whole(demanding_settings());
  add_callbacks(whole);
  whole.set_run(RunFolder::make(folder.path() / "whole")).run();

  {
    SmallTrainer stopped(demanding_settings());
    add_callbacks(stopped);
    stopped.add(std::make_unique<StopsInTheMiddleOfAStep>());
    stopped.set_run(RunFolder::make(folder.path() / "stopped")).run();
    EXPECT_EQ(stopped.state().step, 2);
    EXPECT_EQ(stopped.state().iteration, 4);
  }

  SmallTrainer again(demanding_settings());
  add_callbacks(again);
  ASSERT_TRUE(again.set_run(RunFolder::open(folder.path() / "stopped")).restore());
  again.run();
  EXPECT_TRUE(flat_weights(again.model()).equal(flat_weights(whole.model())));
}

TEST(Resume, OfAFinishedRunTrainsNoFurther) {
  const TemporaryFolder folder;
  std::optional<SmallTrainer> whole(SmallSettings{});
  add_callbacks(*whole);
  whole->set_run(RunFolder::make(folder.path())).run();
  const std::int64_t step = whole->state().step;
  const torch::Tensor weights = flat_weights(whole->model());
  whole.reset();  // the run is free again
  SmallTrainer again({});
  add_callbacks(again);
  ASSERT_TRUE(again.set_run(RunFolder::open(folder.path())).restore());
  again.run();
  EXPECT_EQ(again.state().step, step);
  EXPECT_TRUE(flat_weights(again.model()).equal(weights));
}

TEST(Resume, RebuildsATrainerFromTheRunFolderAlone) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.optimizer.learning_rate = 0.037;
  SmallTrainer whole(settings);
  add_callbacks(whole);
  const RunFolder run = RunFolder::create(folder.path(), "experiment");
  write_settings(settings, run.config());
  whole.set_run(run).run();

  const auto again = restore_run<SmallTrainer>(run.path());
  EXPECT_EQ(again->settings().optimizer.learning_rate, 0.037);
  EXPECT_TRUE(flat_weights(again->model()).equal(flat_weights(whole.model())));
}

TEST(Resume, OfARunWithoutCheckpointsSaysSo) {
  const TemporaryFolder folder;
  write_settings(SmallSettings{}, folder.path() / "config.toml");
  try {
    restore_run<SmallTrainer>(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCheckpoint);
    EXPECT_THAT(error.what(), HasSubstr("the run has no checkpoint"));
  }
}

class WiderModel final : public SmallModel {
 public:
  WiderModel() { register_module("extra", torch::nn::Linear(2, 2)); }
};

TEST(Resume, RefusesTheCheckpointOfAnotherNetwork) {
  const TemporaryFolder folder;
  SmallTrainer one({});
  one.set_run(RunFolder::make(folder.path())).train().save_checkpoint();
  one.run();
  Trainer other(SmallSettings{}.train, std::make_shared<WiderModel>(), small_data());
  const torch::Tensor before = flat_weights(other.model()).clone();
  try {
    other.set_run(RunFolder::make(folder.path())).restore();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCheckpoint);
    EXPECT_THAT(error.what(), HasSubstr("extra.weight is not in the checkpoint; extra.bias is not in the checkpoint"));
  }
  EXPECT_TRUE(flat_weights(other.model()).equal(before)) << "nothing is changed when it fails";
}

TEST(RunFolders, AreNewEachTime) {
  const TemporaryFolder folder;
  const auto one = RunFolder::create(folder.path(), "a");
  const auto two = RunFolder::create(folder.path(), "a");
  EXPECT_NE(one.path(), two.path());
  EXPECT_THROW(RunFolder::open(folder.path() / "nothing"), Error);
}

}  // namespace
}  // namespace base::testing
