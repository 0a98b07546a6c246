#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/callbacks/buffer.h"
#include "base/callbacks/callback_settings.h"
#include "base/callbacks/kpi.h"
#include "base/callbacks/splitting.h"
#include "base/callbacks/trial_report.h"
#include "base/log/error.h"
#include "base/records/record_file.h"
#include "base/records/safetensors.h"
#include "base/records/tf_example.h"
#include "base/tensor/tensor_view.h"
#include "tests/train/small_run.h"

namespace base::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder).string());
  std::ranges::sort(names);
  return names;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

/// A run of the small trainer with these callbacks alone.
struct Observed {
  TemporaryFolder folder;
  SmallSettings settings;
  CallbackSettings callbacks;
  std::unique_ptr<SmallTrainer> trainer;

  explicit Observed(std::vector<std::string> use) { callbacks.use = std::move(use); }
  SmallTrainer& make() {
    trainer = std::make_unique<SmallTrainer>(settings);
    add_callbacks(*trainer, callbacks);
    trainer->set_run(RunFolder::make(folder.path()));
    return *trainer;
  }
};

TEST(Callbacks, OfAnUnknownNameAreRefusedWithTheNearest) {
  struct Settings {
    CallbackSettings callbacks;
    void declare(Knobs& knobs) { knobs.section("callbacks", callbacks, "callbacks"); }
  } settings;
  const std::string message = error_of([&] {
    static_cast<void>(load_settings(settings, std::vector<std::string>{"--callbacks.use", "speed,early_stoping"}));
  });
  EXPECT_THAT(message, HasSubstr("early_stoping"));
  EXPECT_THAT(message, HasSubstr("early_stopping"));
}

TEST(EarlyStopping, StopsAfterSoManyValidationsWithoutProgress) {
  Observed run({"early_stopping"});
  run.settings.train.epochs = 100;
  run.settings.train.optimizer.learning_rate = 0;  // nothing ever gets better
  run.callbacks.early_stopping.patience = 3;
  EXPECT_EQ(run.make().run().state().epoch, 4);
}

TEST(EarlyStopping, TakesTheScoreAsTheTrainingDoes) {
  Observed run({"early_stopping"});
  run.settings.train.epochs = 100;
  run.settings.train.score = "mae";
  run.settings.train.lower_is_better = false;  // so it gets worse from the start
  run.callbacks.early_stopping.figure = "mae";
  run.callbacks.early_stopping.patience = 3;
  EXPECT_LT(run.make().run().state().epoch, 20);
}

TEST(EarlyStopping, NamesTheFiguresThatThereAre) {
  Observed run({"early_stopping"});
  run.callbacks.early_stopping.figure = "accuracy";
  EXPECT_THAT(error_of([&] { run.make().run(); }),
              HasSubstr("set callbacks.early_stopping.figure to one of loss, mae"));
}

TEST(TensorBoard, WritesTrainingAndValidationBesideEachOther) {
  Observed run({"tensor_board", "speed"});
  run.make().run();
  EXPECT_EQ(files_in(run.folder.path() / "train").size(), 1U);
  EXPECT_EQ(files_in(run.folder.path() / "validation").size(), 1U);
}

TEST(SampleSaver, GivesTheSameFilesInValidationAndInPrediction) {
  Observed run({"sample_saver"});
  run.settings.train.epochs = 1;
  run.callbacks.sample_saver.keys = {"answer", "target"};
  run.callbacks.sample_saver.modes = {"validation", "predict"};
  SmallTrainer& trainer = run.make();
  trainer.run();
  const auto data = small_data(20, 11);
  for (const Prediction& prediction : trainer.predict(*data)) static_cast<void>(prediction);
  const auto validated = files_in(run.folder.path() / "validation/sample_saver");
  EXPECT_EQ(validated.size(), 20U);
  EXPECT_EQ(validated.front(), "epoch-1_iteration-1_sample-0.safetensors");
  ASSERT_EQ(validated, files_in(run.folder.path() / "predict/sample_saver"));
  for (const std::string& name : validated) {
    EXPECT_EQ(contents_of(run.folder.path() / "validation/sample_saver" / name),
              contents_of(run.folder.path() / "predict/sample_saver" / name));
  }
}

TEST(SampleSaver, TakesNamesFromTheData) {
  const auto data = std::make_shared<TensorLoader>(
      Tensors{{"x", torch::ones({3, 3})}, {"target", torch::ones({3})}, {"id", rows_of_texts({"a", "deep/b", "c"})}});
  Observed run({"sample_saver"});
  run.callbacks.sample_saver.keys = {"target"};
  run.callbacks.sample_saver.names_key = "id";
  run.callbacks.sample_saver.prefix = "p-";
  run.callbacks.sample_saver.suffix = "-s";
  for (const Prediction& prediction : run.make().predict(*data)) static_cast<void>(prediction);
  EXPECT_THAT(files_in(run.folder.path() / "predict/sample_saver"),
              ElementsAre("p-a-s.safetensors", "p-c-s.safetensors", "p-deep/b-s.safetensors"));
}

TEST(SampleSaver, RefusesNamesThatLeadOutOfTheFolder) {
  const auto data = std::make_shared<TensorLoader>(
      Tensors{{"x", torch::ones({2, 3})}, {"target", torch::ones({2})}, {"id", rows_of_texts({"../../a", "b"})}});
  Observed run({"sample_saver"});
  run.callbacks.sample_saver.keys = {"target"};
  run.callbacks.sample_saver.names_key = "id";
  EXPECT_THAT(error_of([&] {
                for (const Prediction& prediction : run.make().predict(*data)) static_cast<void>(prediction);
              }),
              HasSubstr("no path inside the folder: ../../a"));
}

TEST(RecordSaver, SplitsByNumberAndKeepsShapes) {
  Observed run({"record_saver"});
  run.callbacks.record_saver.keys = {"x", "answer"};
  run.callbacks.record_saver.max_records = 8;
  const auto data = small_data(20, 11);
  for (const Prediction& prediction : run.make().predict(*data)) static_cast<void>(prediction);
  const fs::path folder = run.folder.path() / "predict/records";
  ASSERT_THAT(files_in(folder), ElementsAre("predict-00000-of-00003.tfrecord", "predict-00001-of-00003.tfrecord",
                                            "predict-00002-of-00003.tfrecord"));
  RecordReader reader(folder / "predict-00000-of-00003.tfrecord");
  const TfExample example = decode_example(*reader.next());
  EXPECT_EQ(std::get<std::vector<float>>(example.at("x")).size(), 3U);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(example.at("x_shape")), std::vector<std::int64_t>{3});
}

class Mean final : public Buffer {
 public:
  Mean() : Buffer({.keys = {"x"}, .makes = {"mean"}}) {}
  std::string name() const override { return "mean"; }
  std::vector<std::int64_t> sizes;

 private:
  std::optional<Tensors> process_buffer(const Tensors& gathered, const TrainState& /*state*/,
                                        TrainControl& /*control*/) override {
    sizes.push_back(gathered["x"].size(0));
    return Tensors{{"mean", gathered["x"].mean(0)}};
  }
};

TEST(Buffer, IsProcessedWhenTheFlagComesAndAtTheEnd) {
  torch::Tensor flag = torch::zeros({20}, torch::kLong);
  flag[10] = 1;  // in the second batch of eight
  const auto data = std::make_shared<TensorLoader>(
      Tensors{{"x", torch::ones({20, 3})}, {"target", torch::ones({20})}, {"evaluate", flag}});
  SmallTrainer trainer({});
  auto mean = std::make_unique<Mean>();
  const Mean& seen = *mean;
  trainer.add(std::move(mean));
  for (const Prediction& prediction : trainer.predict(*data)) static_cast<void>(prediction);
  EXPECT_THAT(seen.sizes, ElementsAre(16, 4));
}

class Count final : public Kpi {
 public:
  explicit Count(bool gives_nan = false) : Kpi({"answer"}), gives_nan_(gives_nan) {}
  std::string name() const override { return "count"; }

 private:
  void update(const Tensors& data) override { count_ += data["answer"].size(0); }
  Results evaluate() override {
    return {{"count", gives_nan_ ? std::nan("") : static_cast<double>(std::exchange(count_, 0))}};
  }
  bool gives_nan_;
  std::int64_t count_ = 0;
};

TEST(Kpi, IsOneOfTheFiguresOfValidationAndKeptWithCheckpoints) {
  const TemporaryFolder folder;
  SmallSettings settings;
  settings.train.score = "count";
  {
    SmallTrainer trainer(settings);
    trainer.add(std::make_unique<Count>());
    trainer.set_run(RunFolder::make(folder.path())).train().validate().save_checkpoint();
    EXPECT_EQ(result_of(trainer.state().validation, "count"), 20);
  }  // which waits until it is written
  SmallTrainer again(settings);
  ASSERT_TRUE(again.set_run(RunFolder::open(folder.path())).restore());
  EXPECT_EQ(result_of(again.state().validation, "count"), 20);
}

TEST(Kpi, ThatIsNotANumberIsLeftOutWithAWarning) {
  ::testing::internal::CaptureStderr();
  SmallTrainer trainer({});
  trainer.add(std::make_unique<Count>(/*gives_nan=*/true));
  trainer.validate();
  EXPECT_TRUE(std::isnan(result_of(trainer.state().validation, "count")));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("the figure count of the callback count is nan at step 0"));
}

TEST(Profiler, WritesATraceWithOperatorsStepsAndMemory) {
  Observed run({"profiler"});
  run.callbacks.profiler = {.every_steps = 5, .steps = 2};
  run.settings.train.steps = 8;
  run.make().run();
  ASSERT_TRUE(fs::exists(run.folder.path() / "trace-step-7.json"));
  const auto trace = nlohmann::json::parse(contents_of(run.folder.path() / "trace-step-7.json"));
  std::set<std::string> names;
  for (const auto& event : trace.at("traceEvents")) names.insert(event.value("name", ""));
  EXPECT_TRUE(names.contains("aten::addmm") || names.contains("aten::mm")) << "an operator";
  EXPECT_TRUE(names.contains("ProfilerStep#5"));
  EXPECT_TRUE(names.contains("ProfilerStep#6"));
  EXPECT_FALSE(names.contains("ProfilerStep#7"));
  EXPECT_TRUE(names.contains("[memory]"));
}

TEST(Pictures, ShowTheSameRowsInEachValidation) {
  const auto with_pictures = std::make_shared<TensorLoader>(Tensors{{"x", torch::ones({9, 3})},
                                                                    {"target", torch::ones({9})},
                                                                    {"image", torch::rand({9, 1, 4, 4})},
                                                                    {"two", torch::ones({9, 2, 4, 5})}});
  Observed run({"pictures"});
  run.callbacks.pictures.count = 4;
  run.make().evaluate(*with_pictures);
  EXPECT_EQ(files_in(run.folder.path() / "validation").size(), 1U);
  Observed wrong({"pictures"});
  wrong.callbacks.pictures.keys = {"two"};
  EXPECT_THAT(error_of([&] { wrong.make().evaluate(*with_pictures); }),
              ::testing::AllOf(HasSubstr("callback pictures, process, iteration 1"), HasSubstr("cannot be drawn"),
                               HasSubstr("[8, 2, 4, 5]")));
}

TEST(Report, IsOnePageWithNothingFromElsewhere) {
  Observed run({"report"});
  run.callbacks.report.every_steps = 2;
  run.make();
  write_settings(run.settings, run.folder.path() / "config.toml");
  run.trainer->run();
  const std::string page = contents_of(run.folder.path() / "report.html");
  EXPECT_THAT(page, HasSubstr("<svg "));
  EXPECT_THAT(page, HasSubstr("learning_rate = 0.01"));
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
}

TEST(Report, ThinsCurvesThatGrowTooLong) {
  Curve curve;
  for (int i = 0; i < 100'000; ++i) curve.add(i, i);
  EXPECT_LT(curve.steps.size(), 2000U);
  EXPECT_GT(curve.steps.size(), 900U);
  EXPECT_EQ(curve.steps, curve.values);
  EXPECT_GT(curve.steps.back(), 90'000);
}

TEST(TrainingLog, AddsTheResultToTheSectionOfTheRun) {
  const std::string log = "# Log\n\n## one\n\n**Hypothesis**\n\nmore\n\n**Results**\n\n\n## two\n\n**Results**\n\n";
  EXPECT_EQ(with_result(log, "one", "- done"),
            "# Log\n\n## one\n\n**Hypothesis**\n\nmore\n\n**Results**\n\n- done\n\n\n## two\n\n**Results**\n\n");
  EXPECT_EQ(with_result(log, "two", "- done"), log.substr(0, log.size() - 1) + "\n- done\n\n");
  EXPECT_EQ(with_result(log, "three", "- done"), log + "\n## three\n\n**Results**\n\n- done\n");
}

TEST(SplitBatch, GivesRowsAndWholes) {
  const Tensors batch{{"x", torch::arange(6).view({3, 2})}, {"scale", torch::tensor({7.0, 8.0})}};
  const std::vector<std::string> whole{"scale"};
  const auto samples = split_batch(batch, whole);
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_TRUE(samples[1]["x"].equal(torch::tensor({2, 3})));
  EXPECT_EQ(samples[2]["scale"].numel(), 2);
  EXPECT_THAT(error_of([&] { split_batch(batch); }), HasSubstr("no row for each sample"));
}

TEST(Callbacks, AllTogetherResumeExactly) {
  const auto all = [](Observed& run) {
    run.settings.train.epochs = 4;
    run.settings.train.average = {.decay = 0.9};
    run.settings.train.checkpoint = {.every_steps = 3, .every_epochs = 1, .keep_last = 100};
    run.callbacks.early_stopping.patience = 50;
    run.callbacks.sample_saver.keys = {"answer"};
    run.callbacks.sample_saver.modes = {"validation"};
    run.callbacks.record_saver.keys = {"answer"};
    run.callbacks.record_saver.modes = {"train"};
    run.callbacks.projector.key = "x";
    run.callbacks.profiler.every_steps = 4;
    run.callbacks.histograms.every_steps = 2;
    run.callbacks.training_log.file = run.folder.path() / "log.md";
  };
  const std::vector<std::string> use{"epoch_progress", "console_log",  "tensor_board",    "speed",     "early_stopping",
                                     "sample_saver",   "record_saver", "profiler",        "projector", "histograms",
                                     "training_log",   "report",       "checkpoint_saver"};
  Observed whole(use);
  all(whole);
  whole.make().run();
  for (const int step : {3, 9, 14, 21}) {
    Observed again(use);
    all(again);
    SmallTrainer& trainer = again.make();
    ASSERT_TRUE(trainer.restore((whole.folder.path() / "checkpoints" / ("step-" + std::to_string(step))).string()));
    trainer.run();
    EXPECT_TRUE(flat_weights(trainer.model()).equal(flat_weights(whole.trainer->model()))) << "from step " << step;
    EXPECT_EQ(trainer.state().validation, whole.trainer->state().validation);
    const auto last = [](const Observed& run) {
      return CheckpointStore(run.folder.path() / "checkpoints", {}).load("latest")->parts;
    };
    for (const auto& [name, state] : last(whole)) {
      if (!name.starts_with("callback-")) continue;
      const State other = last(again).at(name);
      EXPECT_EQ(state.values(), other.values()) << name;
      for (const auto& [key, tensor] : state.tensors())
        EXPECT_TRUE(tensor.equal(other.tensors().at(key))) << name << key;
    }
  }
}

/// Says when the buffer is to be looked at.
class EveryFive final : public Callback {
 public:
  std::string name() const override { return "every_five"; }
  std::vector<std::string> makes() const override { return {"evaluate"}; }
  std::optional<Tensors> process(const Tensors& /*data*/, const TrainState& state, TrainControl& /*control*/) override {
    return Tensors{{"evaluate", torch::tensor(state.step % 5 == 0)}};
  }
};

/// The means of five batches each, and how the last three of them were on average.
class Window final : public Buffer {
 public:
  Window() : Buffer({.keys = {"y"}, .modes = {Model::Mode::kTrain}}) {}
  std::string name() const override { return "window"; }
  std::vector<double> means;

  void save_state(State& state) const override {
    Buffer::save_state(state);
    state.set("seen", seen_);
  }
  void load_state(const State& state) override {
    Buffer::load_state(state);
    seen_ = state.get<std::int64_t>("seen");
  }

 private:
  std::optional<Tensors> process_buffer(const Tensors& gathered, const TrainState& /*state*/,
                                        TrainControl& /*control*/) override {
    EXPECT_GE(gathered["y"].size(0), 5 * 2);
    means.push_back(gathered["y"].to(torch::kDouble).mean().item<double>() + 1000.0 * static_cast<double>(++seen_));
    return Tensors{};
  }

  std::int64_t seen_ = 0;
};

TEST(Callbacks, ABufferThatIsHalfFullResumesExactly) {
  const auto run = [](const fs::path& folder, const std::string& from) {
    SmallSettings settings;
    settings.train.checkpoint = {.every_steps = 1, .keep_last = 100};
    SmallTrainer trainer(settings);
    CallbackSettings callbacks;
    callbacks.use = {"checkpoint_saver"};
    auto window = std::make_unique<Window>();
    const Window& seen = *window;
    trainer.add(std::move(window)).add(std::make_unique<EveryFive>());
    add_callbacks(trainer, callbacks);
    trainer.set_run(RunFolder::make(folder));
    if (!from.empty()) {
      EXPECT_TRUE(trainer.restore(from));
    }
    trainer.run();
    return seen.means;
  };
  const TemporaryFolder folder;
  const std::vector<double> whole = run(folder.path() / "whole", "");
  ASSERT_GE(whole.size(), 4U);
  for (const int step : {3, 7, 13}) {
    const auto again = run(folder.path() / std::to_string(step),
                           (folder.path() / "whole/checkpoints" / ("step-" + std::to_string(step))).string());
    const std::vector<double> rest(whole.begin() + step / 5, whole.end());
    EXPECT_EQ(again, rest) << "from step " << step;
  }
}

TEST(TrialReport, WritesALineForEachFigureOfAValidation) {
  const TemporaryFolder folder;
  SmallTrainer trainer{SmallSettings{}};
  trainer.add(std::make_unique<TrialReport>(folder.path() / "deep/output.metrics", "3"));
  trainer.run();
  std::istringstream lines(contents_of(folder.path() / "deep/output.metrics"));
  std::vector<nlohmann::json> said;
  for (std::string line; std::getline(lines, line);) said.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(said.size(), 6U);  // three epochs, loss and mae
  EXPECT_EQ(said[4]["trial"], "3");
  EXPECT_EQ(said[4]["global_step"], std::to_string(trainer.state().step));
  EXPECT_EQ(std::stod(said[4]["loss"].get<std::string>()), result_of(trainer.state().validation, "loss"));
  EXPECT_EQ(std::stod(said[5]["mae"].get<std::string>()), result_of(trainer.state().validation, "mae"));
}

}  // namespace
}  // namespace base::testing
