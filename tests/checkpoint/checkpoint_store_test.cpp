#include "base/torch.h"

#include "base/checkpoint/checkpoint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/file.h>

#include <atomic>
#include <limits>
#include <thread>

#include "base/log/log.h"
#include "tests/checkpoint/endless_saver.h"
#include "tests/checkpoint/support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int64_t> steps_of(const CheckpointStore& store) {
  std::vector<std::int64_t> steps;
  for (const auto& entry : store.entries()) steps.push_back(entry.step);
  return steps;
}

Checkpoint scored(std::int64_t step, std::optional<double> score) {
  Checkpoint checkpoint = tiny_checkpoint(step);
  checkpoint.score = score;
  return checkpoint;
}

void damage(const fs::path& file) {
  std::string text = contents_of(file);
  text.back() = static_cast<char>(text.back() ^ 1);
  write_file(file, text);
}

// The log's lines while it lives.
class LogLines {
 public:
  LogLines() { log::start({.file = folder_ / "log"}); }
  ~LogLines() { log::stop(); }
  std::string text() const { return contents_of(folder_ / "log"); }

 private:
  CheckpointsFolder folder_;
};

TEST(CheckpointStore, IsEmptyAtFirst) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder / "run/checkpoints", {});
  EXPECT_TRUE(fs::is_directory(folder / "run/checkpoints"));
  EXPECT_THAT(store.entries(), IsEmpty());
  EXPECT_FALSE(store.load("latest"));
  EXPECT_FALSE(store.load("best"));
}

TEST(CheckpointStore, GivesBackWhatWasSaved) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {});
  store.save(tiny_checkpoint(3));
  store.save(scored(20, std::nullopt));
  EXPECT_TRUE(same(*store.load("latest"), scored(20, std::nullopt)));  // although nobody waited
  for (const char* which : {"best", "step-3", "3"}) EXPECT_TRUE(same(*store.load(which), tiny_checkpoint(3))) << which;
  EXPECT_TRUE(same(*store.load(folder / "step-3"), tiny_checkpoint(3)));
  EXPECT_THAT(steps_of(store), ElementsAre(3, 20));
  EXPECT_EQ(store.entries()[0].folder, folder / "step-3");
  EXPECT_EQ(store.entries()[0].score, 0.5);
  EXPECT_EQ(store.entries()[1].score, std::nullopt);
}

TEST(CheckpointStore, WhatTheTrainingChangesAfterASaveIsNotSaved) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {});
  torch::Tensor large = torch::ones({3, 1'000'003});
  torch::Tensor small = torch::ones({5}, torch::kLong);
  torch::Tensor turned = torch::arange(600.0).view({20, 30}).t();
  Checkpoint checkpoint;
  for (int step = 0; step < 3; ++step) {  // the first copy goes to fresh memory, the later ones to the same
    checkpoint.step = step;
    checkpoint.parts["model"].set("large", large);
    checkpoint.parts["model"].set("small", small);
    checkpoint.parts["model"].set("turned", turned);
    checkpoint.parts["model"].set("empty", torch::empty({0, 2}));
    checkpoint.parts["model"].set("steps", step);
    Checkpoint expected = checkpoint;
    for (const auto& [name, tensor] : checkpoint.parts["model"].tensors())
      expected.parts["model"].set(name, tensor.clone());
    store.save(checkpoint);
    for (const torch::Tensor& tensor : {large, small, turned}) tensor.add_(1);
    checkpoint.parts["model"].set("steps", -1);
    EXPECT_TRUE(same(*store.load("latest"), expected)) << step;
  }
}

TEST(CheckpointStore, TheTensorsMayGrowAndShrinkFromSaveToSave) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {});
  std::int64_t step = 0;
  for (const std::int64_t elements : {10, 3'000'000, 1, 0, 5'000'000, 4'999'999}) {
    store.save(checkpoint_of_step(++step, elements));
    EXPECT_TRUE(same(*store.load("latest"), checkpoint_of_step(step, elements))) << elements;
  }
}

TEST(CheckpointStore, MayBePreparedForWhatComes) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {});
  store.prepare({});
  store.prepare(checkpoint_of_step(1, 2'000'000));
  store.save(checkpoint_of_step(1, 2'000'000));
  EXPECT_TRUE(same(*store.load("latest"), checkpoint_of_step(1, 2'000'000)));
  EXPECT_THAT(checkpoint_error([&] {
                Checkpoint undefined;
                undefined.parts["model"].set("w", torch::Tensor());
                store.prepare(undefined);
              }),
              HasSubstr("never set"));
}

TEST(CheckpointStore, KeepsTheLastAndTheBest) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {.keep_last = 2, .keep_best = 1});
  const std::optional<double> scores[] = {0.1, 0.9, 0.9, kNan, std::nullopt, 0.3};
  for (int step = 0; step < 6; ++step) store.save(scored(step, scores[step]));
  store.wait();
  EXPECT_THAT(steps_of(store), ElementsAre(2, 4, 5));
  EXPECT_EQ(store.load("best")->step, 2);
}

// What is to be kept, told once more in the plainest way.
std::set<std::int64_t> kept_by_rule(std::vector<std::pair<std::int64_t, std::optional<double>>> there,
                                    const CheckpointStore::Options& options) {
  std::set<std::int64_t> kept;
  for (std::size_t i = 0; i < there.size(); ++i)
    if (i + options.keep_last >= there.size()) kept.insert(there[i].first);
  for (int i = 0; i < options.keep_best; ++i) {
    int best = -1;
    for (int k = 0; k < static_cast<int>(there.size()); ++k) {
      const auto score = there[k].second;
      if (!score || std::isnan(*score)) continue;
      if (best < 0 || (options.lower_is_better ? *score <= *there[best].second : *score >= *there[best].second))
        best = k;
    }
    if (best < 0) break;
    kept.insert(there[best].first);
    there.erase(there.begin() + best);
  }
  return kept;
}

RC_GTEST_PROP(CheckpointStore, KeepsWhatTheRuleSays, ()) {
  const CheckpointStore::Options options{.keep_last = *rc::gen::inRange(1, 4),
                                         .keep_best = *rc::gen::inRange(0, 4),
                                         .lower_is_better = *rc::gen::arbitrary<bool>()};
  const auto any_score =
      rc::gen::element<std::optional<double>>(std::nullopt, kNan, -1.0, 0.0, 1.0, 2.0, INFINITY, -INFINITY);
  const auto scores = *rc::gen::container<std::vector<std::optional<double>>>(*rc::gen::inRange(1, 12), any_score);
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), options);
  std::vector<std::pair<std::int64_t, std::optional<double>>> there;
  std::int64_t step = 0;
  for (const auto& score : scores) {
    step += *rc::gen::inRange(1, 60);  // through 9 and 10, 99 and 100: not the order of the alphabet
    store.save(scored(step, score));
    store.wait();
    there.emplace_back(step, score);
    const auto kept = kept_by_rule(there, options);
    std::erase_if(there, [&](const auto& one) { return !kept.contains(one.first); });
    RC_ASSERT(steps_of(store) == std::vector<std::int64_t>(kept.begin(), kept.end()));
    RC_ASSERT(names_in(folder.path()).size() == kept.size() + 1);  // nothing but them and the lock
  }
}

TEST(CheckpointStore, LeavesAnEarlierAttemptAlone) {
  const CheckpointsFolder folder;
  for (const int step : {300, 400, 500}) write_checkpoint(folder / format("step-{}", step), scored(step, {}));
  const LogLines lines;
  CheckpointStore store(folder.path(), {.keep_last = 1, .keep_best = 0});
  store.save(scored(350, {}));
  store.save(scored(360, {}));
  store.wait();
  EXPECT_THAT(steps_of(store), ElementsAre(360, 400, 500));
  EXPECT_THAT(lines.text(), AllOf(HasSubstr("step-500"), HasSubstr("earlier attempt")));
}

TEST(CheckpointStore, ReplacesAStepThatIsSavedAgain) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {.keep_last = 1});
  store.save(scored(400, 1.0));
  store.wait();
  damage(folder / "step-400/model.safetensors");
  store.save(scored(400, 2.0));
  EXPECT_EQ(store.load("400")->score, 2.0);
  EXPECT_THAT(names_in(folder.path()), ElementsAre(".lock", "step-400"));
}

TEST(CheckpointStore, NeverRemovesTheOnlyWholeOnes) {
  const CheckpointsFolder folder;
  for (const int step : {1, 2, 3}) write_checkpoint(folder / format("step-{}", step), scored(step, step));
  fs::resize_file(folder / "step-3/model.safetensors", 20);
  fs::remove(folder / "step-2/manifest.json");
  CheckpointStore store(folder.path(), {.keep_last = 2, .keep_best = 1});
  store.save(scored(4, 0.0));
  store.wait();
  EXPECT_THAT(steps_of(store), ElementsAre(1, 2, 3, 4));  // 1 is the second last and the best of those that are whole
  store.save(scored(5, 9.0));
  store.wait();
  EXPECT_THAT(steps_of(store), ElementsAre(2, 3, 4, 5));  // the damaged ones stay
}

TEST(CheckpointStore, LatestPassesOverADamagedOneAndNamesIt) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {});
  for (const int step : {1, 2, 3}) store.save(scored(step, -step));
  store.wait();
  damage(folder / "step-3/model.safetensors");
  damage(folder / "step-1/state.json");
  const LogLines lines;
  EXPECT_EQ(store.load("latest")->step, 2);
  EXPECT_THAT(lines.text(), AllOf(HasSubstr("warn"), HasSubstr("step-3 is passed over"),
                                  HasSubstr("step-3/model.safetensors"), Not(HasSubstr("step-1"))));
  EXPECT_EQ(store.load("best")->step, 2);
  EXPECT_THAT(lines.text(), HasSubstr("step-1/state.json"));
  fs::remove(folder / "step-2/state.json");
  EXPECT_THAT(checkpoint_error([&] { store.load("latest"); }),
              AllOf(HasSubstr("none of the checkpoints is whole"), HasSubstr("step-3, step-2, step-1")));
  EXPECT_THAT(checkpoint_error([&] { store.load("3"); }), HasSubstr("step-3/model.safetensors"));
}

TEST(CheckpointStore, BestGoesByTheScore) {
  const CheckpointsFolder folder;
  {
    CheckpointStore store(folder.path(), {.keep_last = 9});
    const std::optional<double> scores[] = {0.5, kNan, 0.7, 0.7, 0.1, std::nullopt};
    for (int step = 0; step < 6; ++step) store.save(scored(step, scores[step]));
    EXPECT_EQ(store.load("best")->step, 3);
  }
  CheckpointStore lower(folder.path(), {.keep_last = 9, .lower_is_better = true});
  EXPECT_EQ(lower.load("best")->step, 4);
  for (const int step : {0, 2, 3, 4}) fs::remove_all(folder / format("step-{}", step));
  EXPECT_THAT(checkpoint_error([&] { lower.load("best"); }), AllOf(HasSubstr("has a score"), HasSubstr("latest")));
}

TEST(CheckpointStore, ANameThatIsNotThereGetsThoseThatAre) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {.keep_last = 20});
  EXPECT_THAT(checkpoint_error([&] { store.load("400"); }), HasSubstr("there is none at all"));
  for (int step = 100; step <= 1400; step += 100) store.save(tiny_checkpoint(step));
  EXPECT_THAT(checkpoint_error([&] { store.load("389"); }),
              AllOf(HasSubstr("no such checkpoint: 389"), HasSubstr("did you mean step-400? "),
                    HasSubstr("there are: ..., step-500, "), HasSubstr("step-1400")));
  EXPECT_THAT(checkpoint_error([&] { store.load("step-9999999999"); }), HasSubstr("did you mean step-1400?"));
  EXPECT_THAT(checkpoint_error([&] { store.load("lates"); }), HasSubstr("did you mean latest?"));
  for (const std::string which : {"", "/no/such/folder", "-1", "99999999999999999999", "step-"})
    EXPECT_THAT(checkpoint_error([&] { store.load(which); }), HasSubstr("no such checkpoint")) << which;
  EXPECT_THAT(checkpoint_error([&] { store.load(std::string(10'000, 'x')); }), HasSubstr("no such checkpoint"));
}

TEST(CheckpointStore, OtherThingsInItsFolderAreNoCheckpoints) {
  const CheckpointsFolder folder;
  for (const char* name : {"step-", "step-x", "step-1x", "step-01", "step--1", "best", "step-99999999999999999999"})
    fs::create_directory(folder / name);
  write_file(folder / "step-7", "a file");
  write_file(folder / ".notes", "");
  CheckpointStore store(folder.path(), {.keep_last = 1});
  EXPECT_THAT(store.entries(), IsEmpty());
  const std::size_t others = names_in(folder.path()).size();
  store.save(tiny_checkpoint(8));
  store.save(tiny_checkpoint(9));
  store.wait();
  EXPECT_EQ(names_in(folder.path()).size(), others + 1);
}

TEST(CheckpointStore, RemovesWhatAKilledRunLeft) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "step-3", tiny_checkpoint(3));
  for (const char* name : {".step-4.partial-123", ".step-1.removed-7", ".step-3.replaced-5"}) {
    fs::create_directory(folder / name);
    write_file(folder / name / "model.safetensors", "half of it");
  }
  write_checkpoint(folder / ".step-5.replaced-6", tiny_checkpoint(5));  // killed between two renames
  for (const char* name :
       {".step-4.partial-", ".step-4.partial-x", ".partial-3", ".step-4", "step-4.partial-1", ".git"})
    fs::create_directory(folder / name);
  CheckpointStore store(folder.path(), {});
  EXPECT_THAT(names_in(folder.path()), ElementsAre(".git", ".lock", ".partial-3", ".step-4", ".step-4.partial-",
                                                   ".step-4.partial-x", "step-3", "step-4.partial-1", "step-5"));
  EXPECT_EQ(store.load("latest")->step, 5);
}

TEST(CheckpointStore, OnlyOneWritesAndTheOthersRead) {
  const CheckpointsFolder folder;
  CheckpointStore writer(folder.path(), {});
  writer.save(tiny_checkpoint(1));
  writer.wait();
  fs::create_directory(folder / ".step-2.partial-123");  // as if it were writing
  CheckpointStore reader(folder.path(), {});
  EXPECT_EQ(reader.load("latest")->step, 1);
  EXPECT_TRUE(fs::exists(folder / ".step-2.partial-123"));
  EXPECT_THAT(
      checkpoint_error([&] { reader.save(tiny_checkpoint(2)); }),
      AllOf(HasSubstr("another run is writing"), HasSubstr(folder.path().string()), HasSubstr("fix: end the other")));
  writer.save(tiny_checkpoint(2));
  EXPECT_EQ(writer.load("latest")->step, 2);
}

TEST(CheckpointStore, AReaderAlwaysFindsAWholeOneWhileAnotherWrites) {
  const CheckpointsFolder folder;
  CheckpointStore writer(folder.path(), {.keep_last = 2, .keep_best = 0});
  writer.save(checkpoint_of_step(0, 1000));
  writer.wait();
  std::atomic<bool> stop = false;
  std::thread training([&] {
    for (int step = 1; !stop; ++step) writer.save(checkpoint_of_step(step, 1000));
  });
  CheckpointStore reader(folder.path(), {});
  std::int64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    const auto latest = reader.load("latest");
    EXPECT_TRUE(latest);
    if (!latest) break;
    EXPECT_TRUE(same(*latest, checkpoint_of_step(latest->step, 1000)));
    EXPECT_GE(latest->step, last);
    last = latest->step;
  }
  stop = true;
  training.join();
  EXPECT_GT(last, 0);
}

TEST(CheckpointStore, ReadsAFolderThatCannotBeWritten) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "step-1", tiny_checkpoint(1));
  fs::create_directory(folder / ".lock");  // opening it for writing fails, for root too
  CheckpointStore store(folder.path(), {});
  EXPECT_EQ(store.load("latest")->step, 1);
  EXPECT_THAT(checkpoint_error([&] { store.save(tiny_checkpoint(2)); }),
              AllOf(HasSubstr("cannot be written to"), HasSubstr(".lock")));
}

TEST(CheckpointStore, AnErrorOfTheWritingComesOutOfTheNextCall) {
  const CheckpointsFolder folder;
  CheckpointStore store(folder.path(), {});
  store.save(tiny_checkpoint(1));
  write_file(folder / "step-2", "in the way");
  store.save(tiny_checkpoint(2));
  EXPECT_THAT(checkpoint_error([&] { store.wait(); }), AllOf(HasSubstr("step-2"), HasSubstr("fix: ")));
  store.wait();  // told once
  store.save(tiny_checkpoint(2));
  EXPECT_EQ(store.load("latest")->step, 1);  // which does not take the error away
  EXPECT_THAT(checkpoint_error([&] { store.save(tiny_checkpoint(3)); }), HasSubstr("step-2"));
  store.save(tiny_checkpoint(3));
  EXPECT_EQ(store.load("latest")->step, 3);
}

TEST(CheckpointStore, AnErrorThatNobodyAskedForIsLogged) {
  const CheckpointsFolder folder;
  const LogLines lines;
  {
    CheckpointStore store(folder.path(), {});
    write_file(folder / "step-2", "in the way");
    store.save(tiny_checkpoint(2));
  }
  EXPECT_THAT(lines.text(), AllOf(HasSubstr("the last checkpoint is lost"), HasSubstr("step-2")));
}

TEST(CheckpointStore, RefusesToKeepNothing) {
  const CheckpointsFolder folder;
  EXPECT_THROW(CheckpointStore(folder.path(), {.keep_last = 0}), Error);
  EXPECT_THROW(CheckpointStore(folder.path(), {.keep_best = -1}), Error);
}

TEST(CheckpointStore, AFolderThatCannotBeMadeIsAnError) {
  const CheckpointsFolder folder;
  write_file(folder / "file", "");
  EXPECT_THAT(checkpoint_error([&] { CheckpointStore(folder / "file/checkpoints", {}); }),
              HasSubstr("file/checkpoints"));
}

}  // namespace
}  // namespace base
