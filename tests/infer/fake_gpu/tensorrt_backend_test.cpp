// What the TensorRT backend does with a GPU, its plans and its memory, on a fake of them.
#include "base/infer/tensorrt_backend.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/infer/sealed_file.h"
#include "base/log/error.h"
#include "base/records/bytes.h"
#include "tests/infer/fake_gpu/fake_gpu.h"
#include "tests/support/memory_folder.h"

namespace base {
namespace {

namespace fs = std::filesystem;

class TensorRtBackendTest : public testing::Test {
 protected:
  TensorRtBackendTest() {
    fake_gpu() = {};
    onnx_ = folder_.write("model.onnx", std::string("\x3a\0", 2));  // an empty graph
    options_.cache_folder = folder_ / "cache";
  }

  std::unique_ptr<Backend> load(int device = 0) const {
    return load_tensorrt_backend(onnx_, signature_, device, options_);
  }

  std::string message_of(const std::function<void()>& work) const {
    try {
      work();
    } catch (const Error& error) {
      return folder_.shorten(error.what());
    }
    return "no error";
  }

  /// The answers for one, two, ... of a batch of rows of three.
  static std::vector<float> answers(Backend& backend, std::int64_t rows, float first = 1) {
    std::vector<float> values;
    for (int i = 0; i < 3 * rows; ++i) values.push_back(first + static_cast<float>(i));
    const TensorView input{"x", DType::kF32, {rows, 3}, std::as_bytes(std::span(values))};
    const auto outputs = backend.run(std::span(&input, 1));
    EXPECT_EQ(outputs.size(), 1U);
    EXPECT_EQ(outputs[0].name, "y");
    EXPECT_EQ(outputs[0].shape, input.shape);
    EXPECT_EQ(outputs[0].bytes.size(), input.bytes.size());
    std::vector<float> result(values.size());
    std::memcpy(result.data(), outputs[0].bytes.data(), outputs[0].bytes.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(result[i], 2 * values[i]);
    return result;
  }

  std::vector<fs::path> plans() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(options_.cache_folder)) {
      if (entry.path().extension() == ".plan") found.push_back(entry.path());
    }
    return found;
  }

  MemoryFolder folder_;
  fs::path onnx_;
  Signature signature_{.inputs = {{"x", DType::kF32, {{2, "batch"}, {3}}}},
                       .outputs = {{"y", DType::kF32, {{2, "batch"}, {3}}}}};
  TensorRtOptions options_;
};

TEST_F(TensorRtBackendTest, BuildsOnceAndTakesThePlanFromTheCacheThen) {
  const auto first = load();
  const auto second = load();
  answers(*first, 1);
  answers(*second, 2);
  EXPECT_EQ(fake_gpu().built, 1);
  EXPECT_EQ(fake_gpu().loaded, 2);
  EXPECT_EQ(plans().size(), 1U);
  EXPECT_EQ(first->description(), "TensorRT 11.1.0.106 on a fake");
}

TEST_F(TensorRtBackendTest, BuildsAnewForAnotherGpuVersionModelOrOption) {
  load();
  fake_gpu().compute_capability = "9.0";
  load();
  fake_gpu().version = "11.4.0.106";
  load();
  folder_.write("model.onnx", std::string("\x3a\0\x3a\0", 4));
  load();
  options_.precision = "fp32";
  load();
  options_.axes = {{"batch", {1, 2, 3}}};
  load();
  EXPECT_EQ(fake_gpu().built, 6);
  load();
  EXPECT_EQ(fake_gpu().built, 6);
  EXPECT_EQ(plans().size(), 6U);
}

TEST_F(TensorRtBackendTest, BuildsAnewWhatIsCutOffOrForeignOrRefused) {
  load();
  const fs::path plan = plans().at(0);
  const std::string whole = contents_of(plan);
  write_file(plan, whole.substr(0, whole.size() - 1));
  load();
  EXPECT_EQ(fake_gpu().built, 2);
  write_file(plan, "a plan of trtexec");
  load();
  EXPECT_EQ(fake_gpu().built, 3);
  EXPECT_EQ(contents_of(plan), whole) << "it is put right";
  std::variant<SealedFile, std::string> sealed = read_sealed(plan);
  write_sealed(plan, std::get<SealedFile>(sealed).label, bytes_of("whole, but TensorRT does not take it"));
  load();
  EXPECT_EQ(fake_gpu().built, 4);
  EXPECT_EQ(contents_of(plan), whole);
}

TEST_F(TensorRtBackendTest, GoesOnWithoutACache) {
  write_file(folder_ / "file", "");
  options_.cache_folder = folder_ / "file/cache";
  answers(*load(), 4);
}

TEST_F(TensorRtBackendTest, RunsAPlanThatIsNamedAndBuildsNone) {
  options_.plan = folder_.write("raw.plan", fake_plan());
  answers(*load(), 1);
  write_sealed(folder_ / "ours.plan", "some label", bytes_of(fake_plan()));
  options_.plan = folder_ / "ours.plan";
  answers(*load(), 1);
  EXPECT_FALSE(fake_gpu().ran_code);
  options_.allow_plan_code = true;
  load();
  EXPECT_TRUE(fake_gpu().ran_code);
  EXPECT_EQ(fake_gpu().built, 0);
}

TEST_F(TensorRtBackendTest, RefusesAPlanThatIsNamedAndDoesNotFit) {
  options_.plan = folder_.write("other.plan", "plan of 10.9 for 7.5");
  EXPECT_EQ(message_of([&] { load(); }),
            "backend error: TensorRT does not take the plan: the plan: the fake's own words\n  fix: build it again\n"
            "  in: other.plan");
  write_sealed(folder_ / "cut.plan", "label", bytes_of(fake_plan()));
  write_file(folder_ / "cut.plan", contents_of(folder_ / "cut.plan").substr(0, 4100));
  options_.plan = folder_ / "cut.plan";
  EXPECT_EQ(message_of([&] { load(); }), "backend error: the plan is cut off: cut.plan\n  fix: build it again");
  options_.plan = folder_ / "none.plan";
  EXPECT_EQ(message_of([&] { load(); }).substr(0, 10), "data error");
  EXPECT_EQ(fake_gpu().built, 0);
}

TEST_F(TensorRtBackendTest, SavesAPlanThatALeanRuntimeRunsWithoutTheModel) {
  options_.save_plan = folder_ / "plans/model.plan";
  options_.version_compatible = true;
  load();
  EXPECT_EQ(contents_of(options_.save_plan), fake_plan());
  fs::remove(options_.save_plan);
  load();
  EXPECT_EQ(contents_of(options_.save_plan), fake_plan()) << "from the cache too";
  fake_gpu().is_lean = true;
  fs::remove(onnx_);
  const auto lean = load_tensorrt_backend(onnx_, signature_, 0, {.plan = folder_ / "plans/model.plan"});
  answers(*lean, 3);
  EXPECT_EQ(lean->description(), "TensorRT 11.1.0.106 (lean) on a fake");
  EXPECT_EQ(fake_gpu().built, 1);
}

TEST_F(TensorRtBackendTest, RunsTheCodeInsideOfItsOwnPlansAlone) {
  options_.version_compatible = true;
  load();
  EXPECT_FALSE(fake_gpu().ran_code);
  options_.embed_lean_runtime = true;
  load();
  EXPECT_TRUE(fake_gpu().ran_code);
}

TEST_F(TensorRtBackendTest, RefusesPrecisionsAndShapesBeforeItBuilds) {
  options_.precision = "int8";
  EXPECT_EQ(message_of([&] { load(); }).substr(0, 67),
            "backend error: the graph is in fp32, so TensorRT cannot run it in a");
  options_.precision = "auto";
  options_.axes = {{"lenght", {1, 1, 1}}};
  EXPECT_EQ(message_of([&] { load(); }).substr(0, 43), "usage error: the model has no such shapes: ");
  EXPECT_EQ(fake_gpu().built, 0);
}

TEST_F(TensorRtBackendTest, SaysThatThereIsNoGpuBeforeAnythingElse) {
  fake_gpu().devices = 0;
  options_.precision = "nonsense";
  EXPECT_EQ(message_of([&] { load(); }), "device error: there is no GPU");
}

TEST_F(TensorRtBackendTest, RecordsTheSecondRunAndReplaysItThen) {
  const auto backend = load();
  answers(*backend, 2, 1);
  EXPECT_EQ(fake_gpu().recorded, 0);
  for (int i = 0; i < 4; ++i) answers(*backend, 2, static_cast<float>(10 * i));  // other values, the same shape
  EXPECT_EQ(fake_gpu().recorded, 1);
  EXPECT_EQ(fake_gpu().launched, 4);
  EXPECT_EQ(fake_gpu().enqueued, 2);
  EXPECT_EQ(fake_gpu().shapes_set, 1);
}

TEST_F(TensorRtBackendTest, RecordsAgainWhenTheShapesChange) {
  const auto backend = load();
  for (const std::int64_t rows : {2, 2, 2, 64, 64, 2, 1, 1, 64, 2, 2, 2}) answers(*backend, rows, 5);
  EXPECT_EQ(fake_gpu().recorded, 4);
  EXPECT_EQ(fake_gpu().launched, 6);
  EXPECT_EQ(fake_gpu().shapes_set, 6);
}

TEST_F(TensorRtBackendTest, RunsWithoutARecordingIfAskedToOrIfItMust) {
  options_.cuda_graphs = false;
  const auto plain = load();
  for (int i = 0; i < 3; ++i) answers(*plain, 2);
  options_.cuda_graphs = true;
  fake_gpu().can_record = false;
  const auto unwilling = load();
  for (int i = 0; i < 5; ++i) answers(*unwilling, 2);
  EXPECT_EQ(fake_gpu().launched, 0);
  EXPECT_EQ(fake_gpu().enqueued, 3 + 5 + 1) << "one try";
}

TEST_F(TensorRtBackendTest, FetchesOutputsWhoseSizeIsKnownOnlyAfterwards) {
  fake_gpu().output_grows = true;
  const auto backend = load();
  for (const std::int64_t rows : {1, 1, 64, 64, 2}) answers(*backend, rows);
  EXPECT_EQ(fake_gpu().recorded, 0);
}

TEST_F(TensorRtBackendTest, RefusesWhatThePlanWasNotBuiltForAndGoesOn) {
  const auto backend = load();
  answers(*backend, 2);
  EXPECT_EQ(message_of([&] { answers(*backend, 65); }),
            "usage error: the plan was built for other shapes: x is 65x3, not from 1x3 to 64x3\n"
            "  fix: build it for these: give the axis a range, such as batch=1:8:64");
  const TensorView wrong{"z", DType::kF32, {1, 3}, {}};
  EXPECT_EQ(message_of([&] { backend->run(std::span(&wrong, 1)); }).substr(0, 11), "usage error");
  answers(*backend, 2);
}

TEST_F(TensorRtBackendTest, UsesItsOwnGpuInEveryRun) {
  fake_gpu().devices = 3;
  const auto backend = load(2);
  answers(*backend, 2);
  answers(*backend, 2);
  EXPECT_EQ(fake_gpu().used, (std::vector<int>{2, 2}));
}

}  // namespace
}  // namespace base
