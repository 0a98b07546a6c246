#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/callbacks/callback_settings.h"
#include "base/callbacks/checkpoint_saver.h"
#include "base/callbacks/console_log.h"
#include "base/callbacks/epoch_progress.h"
#include "base/log/console.h"
#include "tests/log/pseudo_terminal.h"
#include "tests/log/screen.h"
#include "tests/train/small_run.h"

namespace base::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Steps of the checkpoints that a run leaves, all of them kept.
std::vector<std::int64_t> saved_steps(CheckpointSettings checkpoint, std::int64_t accumulate = 1) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.epochs = 2;  // of 7 batches
  settings.train.accumulate = accumulate;
  checkpoint.keep_last = 100;
  settings.train.checkpoint = checkpoint;
  SmallTrainer trainer(settings);
  add_callbacks(trainer);
  trainer.set_run(RunFolder::make(folder.path())).run();
  std::vector<std::int64_t> steps;
  for (const auto& entry : CheckpointStore(folder.path() / "checkpoints", {}).entries()) steps.push_back(entry.step);
  return steps;
}

TEST(CheckpointSaver, SavesAfterSteps) {
  EXPECT_THAT(saved_steps({.every_steps = 5, .every_epochs = 0}), ElementsAre(5, 10, 14));
}

TEST(CheckpointSaver, SavesAfterEpochs) {
  EXPECT_THAT(saved_steps({.every_epochs = 1}), ElementsAre(7, 14));
  EXPECT_THAT(saved_steps({.every_epochs = 2}), ElementsAre(14));
}

TEST(CheckpointSaver, SavesAtTheEndInAnyCase) {
  EXPECT_THAT(saved_steps({.every_epochs = 0}), ElementsAre(14));
}

TEST(CheckpointSaver, SavesAfterTime) {
  EXPECT_THAT(saved_steps({.every_epochs = 0, .every = std::chrono::milliseconds(1)}).size(), ::testing::Gt(1U));
}

TEST(CheckpointSaver, CountsStepsAndNotBatches) {
  EXPECT_THAT(saved_steps({.every_steps = 3, .every_epochs = 0}, /*accumulate=*/2), ElementsAre(3, 6, 8));
}

TEST(CheckpointSaver, KeepsQuietWithoutARunFolder) {
  SmallTrainer trainer({});
  trainer.add(std::make_unique<CheckpointSaver>(CheckpointSettings{.every_steps = 1}));
  EXPECT_NO_THROW(trainer.run());
}

TEST(EpochProgress, ShowsRateLossAndEpochOnTheConsole) {
  ::testing::internal::CaptureStderr();
  {
    SmallTrainer trainer({});
    add_callbacks(trainer);
    trainer.run();
  }
  const std::string shown = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("epoch 1: 7/7 100%"));
  EXPECT_THAT(shown, HasSubstr("epoch 3: 7/7 100%"));
  EXPECT_THAT(shown, HasSubstr("it/s"));
  EXPECT_THAT(shown, HasSubstr("loss "));
}

TEST(EpochProgress, KnowsTheLengthOfDataOfUnknownSizeFromTheSecondEpochOn) {
  class Endless final : public TensorLoader {
   public:
    using TensorLoader::TensorLoader;
    std::int64_t size() const override { return kUnknownSize; }
    Batch make_batch(std::span<const std::int64_t> indices, const Draw& draw) const override {
      const std::int64_t left = std::max<std::int64_t>(0, TensorLoader::size() - indices.front());
      if (left == 0) return {};
      return TensorLoader::make_batch(indices.first(std::min(indices.size(), static_cast<std::size_t>(left))), draw);
    }
  };
  SmallSettings settings;
  settings.train.epochs = 2;
  settings.train.data.shuffle = false;
  const torch::Tensor x = torch::randn({50, 3});
  const auto shown = [&](const std::filesystem::path& run, bool is_cut_short) {
    ::testing::internal::CaptureStderr();
    {
      SmallTrainer trainer(settings, std::make_shared<Endless>(Tensors{{"x", x}, {"target", x.sum(1)}}));
      trainer.set_run(RunFolder::make(run)).add(std::make_unique<EpochProgress>());
      trainer.restore();
      is_cut_short ? trainer.train(9).save_checkpoint() : trainer.run();
    }
    return ::testing::internal::GetCapturedStderr();
  };
  const TemporaryFolder folder;
  EXPECT_THAT(shown(folder.path() / "whole", false),
              AllOf(Not(HasSubstr("epoch 1: 7/7")), HasSubstr("epoch 2: 7/7 100%")));
  shown(folder.path() / "cut", true);
  EXPECT_THAT(shown(folder.path() / "cut", false), HasSubstr("epoch 2: 7/7 100%")) << "after a restart too";
}

TEST(EpochProgress, ShowsAPassOverOtherDataUntilItIsOver) {
  PseudoTerminal terminal(100);
  Console console(terminal.descriptor(), at_a_terminal());
  {
    SmallTrainer trainer({});
    trainer.add(std::make_unique<EpochProgress>(&console)).run();
    const auto data = small_data();
    for ([[maybe_unused]] const Prediction& prediction : trainer.predict(*data)) {
    }
  }
  const std::string output = terminal.output();
  EXPECT_THAT(output, AllOf(HasSubstr("measuring"), HasSubstr("predicting")));
  std::string left;
  for (const std::string& line : Screen(100, output).lines()) left += line + '\n';
  EXPECT_THAT(left, AllOf(HasSubstr("epoch 3"), Not(HasSubstr("measuring")), Not(HasSubstr("predicting"))));
}

TEST(ConsoleLog, WritesTheResultsOfEpochsAndValidations) {
  ::testing::internal::CaptureStderr();
  {
    SmallTrainer trainer({});
    trainer.add(std::make_unique<ConsoleLog>(ConsoleLog::Options{.every_steps = 10}));
    trainer.run();
  }
  const std::string shown = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("step 10  loss "));
  EXPECT_THAT(shown, HasSubstr("step 20  loss "));
  EXPECT_THAT(shown, HasSubstr("epoch 2 trained  loss "));
  EXPECT_THAT(shown, HasSubstr("validation at step 21  loss "));
}

}  // namespace
}  // namespace base::testing
