#include "base/torch.h"

#include "base/app/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "base/log/log.h"
#include "tests/train/small_run.h"

namespace base::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProjectModel : public SmallModel {
 public:
  explicit ProjectModel(const SmallSettings& /*settings*/) {}
};

class OtherModel : public SmallModel {
 public:
  explicit OtherModel(const SmallSettings& /*settings*/) { extra_ = register_parameter("extra", torch::zeros({5})); }

 private:
  torch::Tensor extra_;
};

class ProjectData : public TensorLoader {
 public:
  ProjectData(const SmallSettings& /*settings*/, Part part)
      : TensorLoader({{"x", torch::linspace(-1, 1, size_of(part) * 3).view({-1, 3})},
                      {"target", torch::linspace(-1, 1, size_of(part))}}) {}

 private:
  static std::int64_t size_of(Part part) { return part == Part::kTraining ? 40 : part == Part::kValidation ? 20 : 10; }
};

int counted = 0;

class Counter final : public Callback {
 public:
  std::string name() const override { return "counter"; }
  void on_iteration_end(const TrainState& /*state*/, TrainControl& /*control*/) override { ++counted; }
};

/// The streams belong to the process, so a test takes them for itself.
class Captured {
 public:
  Captured() : before_(std::cout.rdbuf(text_.rdbuf())) { ::testing::internal::CaptureStderr(); }
  ~Captured() {
    if (!done_) finish();
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  std::string out() const { return text_.str(); }
  std::string finish() {
    done_ = true;
    std::cout.rdbuf(before_);
    return ::testing::internal::GetCapturedStderr();
  }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
  bool done_ = false;
};

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome run(std::vector<const char*> arguments) {
  App<SmallSettings> app("small");
  app.add_model<ProjectModel>("model");
  app.add_model<OtherModel>("other");
  app.add_data_loader<ProjectData>("data_loader");
  app.add_trainer<Trainer>("trainer");
  app.add_callback<Counter>("counter");
  arguments.insert(arguments.begin(), "small");
  Captured captured;
  Outcome outcome{.exit_code = app.run(static_cast<int>(arguments.size()), arguments.data()), .out = {}, .err = {}};
  log::stop();
  outcome.out = captured.out();
  outcome.err = captured.finish();
  return outcome;
}

TEST(App, WithoutACommandListsThem) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, AllOf(StartsWith("usage: small COMMAND"), HasSubstr("  evaluate   Measures"),
                                 HasSubstr("COMMAND --help")));
}

TEST(App, SuggestsTheNearestCommand) {
  const Outcome outcome = run({"trian"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err,
            "usage error: unknown command: trian\n  fix: did you mean `train`? `small --help` lists the commands\n");
}

TEST(App, TrainsMeasuresAndPredictsOneRun) {
  const TemporaryFolder folder;
  const std::string run_folder = (folder / "run").string(), csv = (folder / "answers.csv").string();
  counted = 0;
  const Outcome trained = run({"train", "--run", run_folder.c_str(), "--device", "cpu", "--epochs", "2"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(counted, 2 * 40 / 8);
  EXPECT_THAT(trained.err, AllOf(HasSubstr("validation: loss"), HasSubstr("the run is kept in " + run_folder)));
  EXPECT_THAT(contents_of(folder / "run/config.toml"), HasSubstr("epochs = 2"));
  EXPECT_THAT(contents_of(folder / "run/runlogs/rank-0.log"), HasSubstr("validation at step 10"));

  const Outcome validated = run({"validate", "--run", run_folder.c_str()});
  EXPECT_EQ(validated.exit_code, 0) << validated.err;
  EXPECT_THAT(validated.out, StartsWith("loss "));

  const Outcome predicted = run({"predict", "--run", run_folder.c_str(), "--output", csv.c_str()});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  const std::string table = contents_of(csv);
  EXPECT_THAT(table, StartsWith("example,"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 10);

  const Outcome again = run({"train", "--run", run_folder.c_str(), "--device", "cpu", "--epochs", "3"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(counted, 3 * 40 / 8) << "it goes on where it stopped";
}

TEST(App, ExportsAndAnswersFromTheExport) {
  const TemporaryFolder folder;
  const std::string run_folder = (folder / "run").string(), exports = run_folder + "/exports";
  ASSERT_EQ(run({"train", "--run", run_folder.c_str(), "--device", "cpu", "--epochs", "1"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(exports + "/5/model.onnx"));

  const Outcome exported = run({"export", "--run", run_folder.c_str(), "--callbacks.exporter.precision", "fp16"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_TRUE(std::filesystem::exists(exports + "/5-fp16/model.onnx"));

  const std::string questions = folder.write("questions.jsonl", "{\"x\": [1, 2, 3]}\n{\"x\": [0, 0, 0]}\n").string();
  const std::string answers = (folder / "answers.jsonl").string();
  const Outcome answered =
      run({"infer", "--export", exports.c_str(), "--input", questions.c_str(), "--output", answers.c_str()});
  EXPECT_EQ(answered.exit_code, 0) << answered.err;
  EXPECT_EQ(std::ranges::count(contents_of(answers), '\n'), 2);
  EXPECT_THAT(contents_of(answers), StartsWith("{\"answer\":"));

  const Outcome checked = run({"check", "--export", exports.c_str(), "--target", "torch", "--runs", "2"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  const Outcome unknown = run({"check", "--export", exports.c_str(), "--target", "tensorrt:0"});
  EXPECT_NE(unknown.exit_code, 0) << "there is no GPU, or no TensorRT";
}

TEST(App, GoesOnWithTheSettingsOfTheRun) {
  const TemporaryFolder folder;
  const std::string run_folder = (folder / "run").string();
  const Outcome trained = run(
      {"train", "--run", run_folder.c_str(), "--device", "cpu", "--epochs", "2", "--optimizer.learning_rate", "0.003"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string config = contents_of(folder / "run/config.toml");

  counted = 0;
  const Outcome finished = run({"train", "--run", run_folder.c_str()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(counted, 0);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("nothing is left to train: 2 epochs are done, epochs = 2"),
                                  Not(HasSubstr("changed since"))));
  EXPECT_EQ(contents_of(folder / "run/config.toml"), config);

  const Outcome changed =
      run({"train", "--run", run_folder.c_str(), "--epochs", "3", "--optimizer.learning_rate", "0.5"});
  EXPECT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_EQ(counted, 40 / 8);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("changed since the run began: epochs 2 -> 3"),
                                 HasSubstr("changed since the run began: optimizer.learning_rate 0.003 -> 0.5"),
                                 Not(HasSubstr("nothing is left"))));
  EXPECT_THAT(contents_of(folder / "run/config.toml"),
              AllOf(HasSubstr("epochs = 3  # from --epochs"), HasSubstr("learning_rate = 0.5"),
                    HasSubstr("device = \"cpu\"\n")));
}

TEST(App, AFileGivenWinsOverTheSettingsOfTheRun) {
  const TemporaryFolder folder;
  const std::string run_folder = (folder / "run").string();
  const std::string file = folder.write("train.toml", "epochs = 2\ndevice = \"cpu\"\n").string();
  ASSERT_EQ(
      run({"train", "--run", run_folder.c_str(), "--device", "cpu", "--epochs", "1", "--log_every", "7"}).exit_code, 0);
  counted = 0;
  const Outcome outcome = run({"train", "--run", run_folder.c_str(), "--config", file.c_str()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(counted, 40 / 8);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("epochs 1 -> 2"), HasSubstr("log_every 7 -> ")));
}

TEST(App, SaysWhereFlagsOfTheRanksGo) {
  const Outcome outcome = run({"launch", "--ranks", "2", "--epochs", "1"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("unknown flag: --epochs"), HasSubstr("`small launch --ranks 2 -- --KNOB VALUE`")));
  EXPECT_THAT(run({"launch", "--rank", "2"}).err, HasSubstr("did you mean --ranks?"));
}

TEST(App, AsksForARunWhereWeightsAreNeeded) {
  const Outcome outcome = run({"evaluate"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no run is given"), HasSubstr("--run FOLDER")));
}

TEST(App, ChoosesAmongItsModelsByName) {
  const Outcome first = run({"describe"});
  const Outcome other = run({"describe", "--model", "other"});
  EXPECT_EQ(first.out.find("extra"), std::string::npos);
  EXPECT_THAT(other.out, HasSubstr("extra"));
  const Outcome unknown = run({"describe", "--model", "othr"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("other"));
}

TEST(App, PrintsSettingsThatItCanRead) {
  const TemporaryFolder folder;
  const Outcome printed = run({"settings", "--epochs", "7"});
  EXPECT_THAT(printed.out, HasSubstr("epochs = 7"));
  const std::string file = folder.write("train.toml", printed.out).string();
  EXPECT_EQ(run({"settings", "--config", file.c_str()}).exit_code, 0);
}

}  // namespace
}  // namespace base::testing
