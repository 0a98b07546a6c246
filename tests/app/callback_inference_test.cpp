#include "base/torch.h"

#include "base/app/callback_inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include "base/artifact/artifact.h"
#include "base/callbacks/buffer.h"
#include "base/callbacks/kpi.h"
#include "base/callbacks/record_saver.h"
#include "base/data/tensor_loader.h"
#include "base/infer/torch_backend.h"
#include "tests/infer/support.h"
#include "tests/support/memory_folder.h"
#include "tests/tensor/message_of.h"

namespace base::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// An export whose model.pt computes what small_graph() does.
std::filesystem::path write_torch_export(const std::filesystem::path& folder) {
  const OnnxGraph graph = small_graph();
  torch::jit::Module module("small");
  module.register_parameter("matrix", torch::tensor({1.0F, 0.0F, 0.0F, 1.0F, 1.0F, 1.0F}).view({3, 2}), false);
  module.define(R"(
    def forward(self, x):
      return torch.matmul(x, self.matrix) + torch.tensor([10.0, 20.0]), x + x
  )");
  ArtifactWriter writer(folder);
  write_onnx(graph, writer.path() / kOnnxFile);
  module.save((writer.path() / kTorchScriptFile).string());
  writer.complete({.signature = graph.signature});
  writer.publish();
  return folder;
}

class TorchBackendTest : public ::testing::Test {
 protected:
  TorchBackendTest() { use_torch_backend(); }
  MemoryFolder folder_;
};

TEST_F(TorchBackendTest, AnswersAsOnnxRuntimeDoes) {
  const auto backend = load_backend(write_torch_export(folder_ / "1"), "torch");
  EXPECT_THAT(backend->description(), StartsWith("LibTorch 2."));
  for (const std::int64_t size : {2, 0, 1}) {
    const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
    const HostTensor x = floats("x", {size, 3}, {numbers.begin(), numbers.begin() + size * 3});
    const auto outputs = backend->run({&x.view, 1});
    ASSERT_EQ(2U, outputs.size());
    EXPECT_EQ("scores", outputs[0].name);
    EXPECT_THAT(outputs[0].shape, ElementsAre(size, 2));
    if (size < 2) continue;
    EXPECT_THAT(numbers_of(outputs[0]), ElementsAre(14, 25, 20, 31));
    EXPECT_THAT(numbers_of(outputs[1]), ElementsAre(2, 4, 6, 8, 10, 12));
  }
  const HostTensor wrong = floats("x", {1, 4}, {1, 2, 3, 4});
  EXPECT_THAT(message_of(ErrorKind::kUsage,
                         [&] {
                           backend->run({&wrong.view, 1});
                         }),
              HasSubstr("x is [1, 4], not [batch, 3]"));
}

TEST_F(TorchBackendTest, SaysWhatIsWrongWithAModel) {
  ArtifactWriter writer(folder_ / "1");
  write_onnx(small_graph(), writer.path() / kOnnxFile);
  write_file(writer.path() / kTorchScriptFile, "GIF89a");
  writer.complete({.signature = small_graph().signature});
  writer.publish();
  EXPECT_THAT(folder_.shorten(message_of(ErrorKind::kBackend, [&] { load_backend(folder_ / "1", "torch"); })),
              StartsWith("backend error: LibTorch cannot load the model: 1/model.pt ("));
  write_export(folder_ / "2", small_graph());
  EXPECT_THAT(message_of(ErrorKind::kExport, [&] { load_backend(folder_ / "2", "torch"); }),
              HasSubstr("the export has no model.pt"));
}

TEST_F(TorchBackendTest, SaysWhyThereIsNoGpu) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is one";
  write_torch_export(folder_ / "1");
  EXPECT_THAT(message_of(ErrorKind::kDevice, [&] { load_backend(folder_ / "1", "cuda:0"); }),
              HasSubstr("LibTorch: it has no CUDA, or the machine no GPU"));
}

// ---- callbacks
// -------------------------------------------------------------------------------------------------------

/// The sum of all scores, and how it was called.
class Total final : public Kpi {
 public:
  explicit Total(std::vector<std::string>& events) : Kpi({"scores", "target"}), events_(events) {}
  std::string name() const override { return "total"; }
  void on_begin(const TrainState& /*state*/, TrainControl& /*control*/) override { events_.emplace_back("begin"); }
  void on_end(const TrainState& state, TrainControl& /*control*/) override {
    events_.push_back("end after " + std::to_string(state.iteration));
  }

 protected:
  void update(const Tensors& data) override {
    total_ += data["scores"].sum().item<double>() - data["target"].sum().item<double>();
  }
  Results evaluate() override {
    events_.push_back("total " + std::to_string(static_cast<int>(total_)));
    return {{"total", std::exchange(total_, 0)}};
  }

 private:
  std::vector<std::string>& events_;
  double total_ = 0;
};

class Gather final : public Buffer {
 public:
  explicit Gather(std::vector<std::int64_t>& rows) : Buffer({.keys = {"doubled"}}), rows_(rows) {}
  std::string name() const override { return "gather"; }

 protected:
  std::optional<Tensors> process_buffer(const Tensors& gathered, const TrainState& /*state*/,
                                        TrainControl& /*control*/) override {
    rows_.push_back(gathered["doubled"].size(0));
    return Tensors{};
  }

 private:
  std::vector<std::int64_t>& rows_;
};

class CallbackInference : public ::testing::TestWithParam<bool> {
 protected:
  CallbackInference() { use_torch_backend(); }
  Inferer make() { return Inferer(write_torch_export(folder_ / "1"), {.target = "torch", .pipeline = GetParam()}); }
  MemoryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Threads, CallbackInference, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Pipeline" : "OneThread"; });

TEST_P(CallbackInference, RunsKpisBuffersAndSaversOnTheAnswers) {
  std::vector<std::string> events;
  std::vector<std::int64_t> rows;
  CallbackGraph callbacks;
  callbacks.add(std::make_unique<Total>(events));
  callbacks.add(std::make_unique<Gather>(rows));
  RecordSaverSettings saver;
  saver.keys = {"scores"};
  callbacks.add(std::make_unique<RecordSaver>(saver));
  const TensorLoader data({{"x", torch::ones({5, 3})}, {"target", torch::ones({5})}});
  Inferer inferer = make();
  infer_with_callbacks(inferer, data, callbacks, {.batch_size = 2}, {.log_dir = folder_ / "predict", .step = 7});
  // Each row scores (12, 22); five of them, less the five targets.
  EXPECT_THAT(events, ElementsAre("begin", "total 165", "end after 3"));
  EXPECT_THAT(rows, ElementsAre(5));
  EXPECT_FALSE(std::filesystem::is_empty(folder_ / "predict/records"));
}

TEST_P(CallbackInference, CollapsesAListOfFeedsForEachExample) {
  std::vector<std::string> events;
  CallbackGraph callbacks;
  callbacks.add(std::make_unique<Total>(events));
  const torch::Tensor crops = torch::stack({torch::zeros({2, 3}), torch::full({2, 3}, 2.0F)}, 1);  // two for each
  const TensorLoader data({{"x", crops}, {"target", torch::zeros({2})}});
  Inferer inferer = make();
  infer_with_callbacks(inferer, data, callbacks, {.batch_size = 2});
  EXPECT_THAT(events, ElementsAre("begin", "total 68", "end after 1"));  // as of ones: 2 * (12 + 22)
}

TEST_P(CallbackInference, NamesTheExamplesOfABatchThatDoesNotFit) {
  CallbackGraph callbacks;
  const TensorLoader data({{"x", torch::ones({5, 4})}});
  Inferer inferer = make();
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { infer_with_callbacks(inferer, data, callbacks, {.batch_size = 2}); }),
              ::testing::EndsWith("\n  in: example 0 to example 1"));
}

}  // namespace
}  // namespace base::testing
