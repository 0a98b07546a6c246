#include "base/infer/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/infer/engine.h"
#include "base/infer/inferer.h"
#include "tests/infer/support.h"
#include "tests/support/memory_folder.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LoadBackend, RefusesATargetThatIsNone) {
  EXPECT_EQ(
      "usage error: there is no such target: cdua:0\n"
      "  fix: did you mean cuda? give auto, cpu, cuda:0, tensorrt:0 or torch",
      message_of(ErrorKind::kUsage, [] { load_backend("nowhere", "cdua:0"); }));
  for (const char* target : {"", "cpu:0", "cuda:", "cuda:-1", "cuda:x", "cuda:0x", "cuda:99999999999", "tensorrt:1.5"})
    EXPECT_THROW(load_backend("nowhere", target), Error) << target;
}

TEST(LoadBackend, SaysHowToGetAnEngineThatIsNotLinked) {
  const MemoryFolder folder;
  write_export(folder / "1", small_graph());
  EXPECT_EQ(
      "backend error: this program has no engine for the target: torch\n"
      "  fix: link scaffold::scaffold and call base::use_torch_backend(), or take the target cpu",
      message_of(ErrorKind::kBackend, [&] { load_backend(folder / "1", "torch"); }));
}

#ifndef SCAFFOLD_WITH_TENSORRT
TEST(LoadBackend, SaysHowToGetTensorRt) {
  const MemoryFolder folder;
  write_export(folder / "1", small_graph());
  EXPECT_EQ(
      "backend error: this program has no engine for the target: tensorrt:0\n"
      "  fix: on a machine with TensorRT: scaffold update --set tensorrt=true in a project; else build the package "
      "with -o '&:with_tensorrt=True'",
      message_of(ErrorKind::kBackend, [&] { load_backend(folder / "1", "tensorrt:0"); }));
}
#endif

TEST(LoadBackend, SaysWhatIsWrongWithTheFolder) {
  EXPECT_THAT(message_of(ErrorKind::kExport, [] { load_backend("nowhere", "cpu"); }),
              StartsWith("export error: there is no such export: nowhere"));
}

std::string busy(int device) {
  return "device " + std::to_string(device) + " is busy";
}

TEST(LoadBackend, SaysWhyNoEngineCanRunThere) {
  const MemoryFolder folder;
  write_export(folder / "1", small_graph());
  register_engine({"Abacus", "cuda", busy, nullptr});
  EXPECT_THAT(message_of(ErrorKind::kDevice, [&] { load_backend(folder / "1", "cuda:3"); }),
              AllOf(HasSubstr("no engine can run on the target: cuda:3 ("), HasSubstr("Abacus: device 3 is busy)")));
}

#ifdef SCAFFOLD_WITH_ONNXRUNTIME

std::string ready(int /*device*/) {
  return "";
}

template <ErrorKind kKind>
std::unique_ptr<Backend> refuse(const Artifact& /*artifact*/, int /*device*/, const BackendOptions& /*options*/) {
  throw Error(kKind, "it cannot build the model", "node Einsum\nand more", "export it otherwise");
}

TEST(LoadBackend, TakesTheNextEngineIfOneRefusesTheModel) {
  const MemoryFolder folder;
  write_export(folder / "1", small_graph());
  for (const auto load : {refuse<ErrorKind::kBackend>, refuse<ErrorKind::kDevice>}) {
    register_engine({"Abacus", "tensorrt", ready, load});
    ::testing::internal::CaptureStderr();
    EXPECT_THAT(load_backend(folder / "1", "auto")->description(), StartsWith("ONNX Runtime"));
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("Abacus does not run the model, so the next engine is tried: it cannot build the model: node "
                          "Einsum\n"));
    EXPECT_THROW(load_backend(folder / "1", "tensorrt"), Error) << "who asks for one gets that one";
  }
  register_engine({"Abacus", "tensorrt", ready, refuse<ErrorKind::kInternal>});
  EXPECT_THROW(load_backend(folder / "1", "auto"), Error) << "another error is no refusal";
  register_engine({"Abacus", "tensorrt", busy, nullptr});
}

std::unique_ptr<Backend> tell_level(const Artifact& /*artifact*/, int /*device*/, const BackendOptions& options) {
  throw Error(ErrorKind::kBackend, "the level", std::to_string(options.tensorrt.optimization_level), "");
}

TEST(Inferer, HandsTensorRtItsOptions) {
  const MemoryFolder folder;
  write_export(folder / "1", small_graph());
  register_engine({"Abacus", "tensorrt", ready, tell_level});
  EXPECT_EQ("backend error: the level: 5", message_of(ErrorKind::kBackend, [&] {
              Inferer(folder / "1", {.target = "tensorrt", .tensorrt = {.optimization_level = 5}});
            }));
  register_engine({"Abacus", "tensorrt", busy, nullptr});
}

class OnnxRuntime : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> load(const OnnxGraph& graph, const BackendOptions& options = {}) {
    return load_backend(write_export(folder_ / "1", graph), "cpu", options);
  }
  // As if the model had been exported that way: the checksums fit.
  std::string error_with_model(const std::string& bytes) {
    ArtifactWriter writer(folder_ / "1");
    write_file(writer.path() / kOnnxFile, bytes);
    writer.complete({.signature = small_graph().signature});
    writer.publish();
    return folder_.shorten(message_of(ErrorKind::kBackend, [&] { load_backend(folder_ / "1", "cpu"); }));
  }
  MemoryFolder folder_;
};

TEST_F(OnnxRuntime, AnswersInTheOrderOfTheSignature) {
  const auto backend = load(small_graph());
  const HostTensor x = floats("x", {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto outputs = backend->run({&x.view, 1});
  ASSERT_EQ(2U, outputs.size());
  EXPECT_EQ("scores", outputs[0].name);
  EXPECT_THAT(outputs[0].shape, ElementsAre(2, 2));
  EXPECT_THAT(numbers_of(outputs[0]), ElementsAre(14, 25, 20, 31));
  EXPECT_THAT(numbers_of(outputs[1]), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(backend->description(), ::testing::MatchesRegex("ONNX Runtime .* on the CPU"));
  EXPECT_EQ(small_graph().signature, backend->signature());
}

TEST_F(OnnxRuntime, TakesABatchOfAnotherSizeInEachCall) {
  const auto backend = load(small_graph(), {.threads = 1});
  for (const std::int64_t size : {1, 3, 0, 2}) {
    const HostTensor x = floats("x", {size, 3}, std::vector<float>(static_cast<std::size_t>(size * 3), 1));
    const auto outputs = backend->run({&x.view, 1});
    EXPECT_THAT(outputs[0].shape, ElementsAre(size, 2));
    EXPECT_EQ(static_cast<std::size_t>(size) * 8, outputs[0].bytes.size());
    if (size > 0) {
      EXPECT_EQ(12, numbers_of(outputs[0])[0]);
    }
  }
}

TEST_F(OnnxRuntime, IsWhatAutoTakesWithoutAGpu) {
  write_export(folder_ / "1", small_graph());
  const auto backend = load_backend(folder_ / "1");
  EXPECT_THAT(backend->description(), HasSubstr("ONNX Runtime"));
}

TEST_F(OnnxRuntime, PassesThroughWhatIsNoNumber) {
  const auto backend = load(small_graph());
  const HostTensor x = floats("x", {1, 3}, {NAN, INFINITY, -INFINITY});
  const auto numbers = numbers_of(backend->run({&x.view, 1})[1]);
  EXPECT_TRUE(std::isnan(numbers[0]));
  EXPECT_EQ(INFINITY, numbers[1]);
  EXPECT_EQ(-INFINITY, numbers[2]);
}

TEST_F(OnnxRuntime, NamesAllThatIsWrongWithTheInputs) {
  const auto backend = load(small_graph());
  const std::vector<TensorView> inputs{floats("y", {1, 3}, {1, 2, 3}).view};
  EXPECT_EQ(
      "usage error: the inputs do not fit the model: x is missing; there is no y\n"
      "  fix: it takes x F32 [batch, 3]",
      message_of(ErrorKind::kUsage, [&] { backend->run(inputs); }));
  const HostTensor x = floats("x", {1, 3}, {1, 2, 3});  // and works afterwards
  EXPECT_EQ(14, numbers_of(backend->run({&x.view, 1})[0])[0]);
}

TEST_F(OnnxRuntime, ReadsBytesThatAreNotAligned) {
  const auto backend = load(small_graph());
  std::vector<std::byte> bytes(13);
  const std::vector<float> numbers{1, 2, 3};
  std::memcpy(bytes.data() + 1, numbers.data(), 12);
  const TensorView x{.name = "x", .dtype = DType::kF32, .shape = {1, 3}, .bytes = std::span(bytes).last(12)};
  EXPECT_THAT(numbers_of(backend->run({&x, 1})[0]), ElementsAre(14, 25));
}

TEST_F(OnnxRuntime, RunsEveryTypeOfTheSignature) {
  for (const DType dtype : {DType::kBool, DType::kU8, DType::kI8, DType::kI16, DType::kU16, DType::kF16, DType::kBF16,
                            DType::kI32, DType::kU32, DType::kF32, DType::kF64, DType::kI64, DType::kU64}) {
    OnnxGraph graph;
    graph.signature = {.inputs = {{"x", dtype, {{1, "batch"}}}}, .outputs = {{"y", dtype, {{1, "batch"}}}}};
    graph.nodes = {{.operation = "Identity", .inputs = {"x"}, .outputs = {"y"}, .name = "y"}};
    const auto backend = load(graph);
    NewTensor x = new_tensor("x", dtype, {2});
    set_number(dtype, x.bytes, 0, 1);
    set_number(dtype, x.bytes, 1, 0);
    const auto outputs = backend->run({&x.tensor.view, 1});
    EXPECT_EQ(dtype, outputs[0].dtype);
    EXPECT_EQ(1, number_at(outputs[0], 0)) << name_of(dtype);
    EXPECT_EQ(0, number_at(outputs[0], 1)) << name_of(dtype);
  }
}

// scores [batch, 1000], each the sum of x [batch, 3]; the weights are in a file of their own.
fs::path write_split_export(const fs::path& folder) {
  OnnxGraph graph;
  graph.signature = {.inputs = {{"x", DType::kF32, {{1, "batch"}, {3}}}},
                     .outputs = {{"scores", DType::kF32, {{1, "batch"}, {1000}}}}};
  graph.initializers = {constant(floats("matrix", {3, 1000}, std::vector<float>(3000, 1)))};
  graph.nodes = {{.operation = "MatMul", .inputs = {"x", "matrix"}, .outputs = {"scores"}, .name = "scores"}};
  return write_export(folder, graph, {.most_bytes = 2000});
}

TEST_F(OnnxRuntime, ReadsWeightsBesideTheModel) {
  const fs::path path = write_split_export(folder_ / "1");
  ASSERT_TRUE(fs::exists(path / "model.onnx.data"));
  const auto backend = load_backend(path, "cpu");
  const HostTensor x = floats("x", {1, 3}, {1, 2, 3});
  EXPECT_EQ(6, numbers_of(backend->run({&x.view, 1})[0])[999]);
  EXPECT_EQ(contents_of(path / "model.onnx.data"), contents_of(path / "triton/small/1/model.onnx.data"));

  std::string weights = contents_of(path / "model.onnx.data");
  weights[0] = static_cast<char>(weights[0] ^ 1);
  write_file(path / "model.onnx.data", weights);
  EXPECT_THAT(message_of(ErrorKind::kExport, [&] { load_backend(path, "cpu"); }), HasSubstr("model.onnx.data"));
}

TEST_F(OnnxRuntime, RefusesAModelThatIsNone) {
  EXPECT_THAT(error_with_model("GIF89a"),
              StartsWith("backend error: ONNX Runtime cannot load the model: 1/model.onnx ("));
  EXPECT_THAT(error_with_model(""), StartsWith("backend error: ONNX Runtime cannot load the model: 1/model.onnx ("));
  write_onnx(small_graph(), folder_ / "whole.onnx");
  const std::string whole = folder_.read("whole.onnx");
  const std::string message = error_with_model(whole.substr(0, whole.size() / 2));
  EXPECT_THAT(message, StartsWith("backend error: ONNX Runtime cannot load the model: 1/model.onnx ("));
  EXPECT_EQ(2, std::ranges::count(message + "\n", '\n'));  // the problem and the fix
}

TEST_F(OnnxRuntime, RefusesAModelThatIsNotTheOneOfTheManifest) {
  OnnxGraph other;
  other.signature = {.inputs = {{"x", DType::kI64, {{1, "batch"}, {3}}}, {"z", DType::kI64, {{1, "batch"}, {3}}}},
                     .outputs = {{"scores", DType::kI64, {{1, "batch"}, {3}}}}};
  other.nodes = {{.operation = "Add", .inputs = {"x", "z"}, .outputs = {"scores"}, .name = "scores"}};
  write_onnx(other, folder_ / "other.onnx");
  EXPECT_EQ(
      "backend error: the model is not the one that the manifest describes: 1/model.onnx (x is I64, not F32; scores is "
      "I64, not F32; it has no doubled; it takes 2 inputs, not 1)\n"
      "  fix: export the model again",
      error_with_model(folder_.read("other.onnx")));
}

TEST_F(OnnxRuntime, SaysInOneLineWhyARunFailed) {
  OnnxGraph graph;
  graph.signature = {.inputs = {{"x", DType::kF32, {{1, "batch"}}}},
                     .outputs = {{"y", DType::kF32, {{2}, {1, "half"}}}}};
  graph.initializers = {constant(tensor<std::int64_t>("shape", DType::kI64, {2}, {2, -1}))};
  graph.nodes = {{.operation = "Reshape", .inputs = {"x", "shape"}, .outputs = {"y"}, .name = "halves"}};
  const auto backend = load(graph);
  const HostTensor odd = floats("x", {3}, {1, 2, 3});
  const std::string message = message_of(ErrorKind::kBackend, [&] { backend->run({&odd.view, 1}); });
  EXPECT_THAT(message, AllOf(StartsWith("backend error: ONNX Runtime cannot run the model: "), HasSubstr("halves")));
  EXPECT_EQ(2, std::ranges::count(message + "\n", '\n'));
  const HostTensor even = floats("x", {4}, {1, 2, 3, 4});
  EXPECT_THAT(backend->run({&even.view, 1})[0].shape, ElementsAre(2, 2));
}

#else

TEST(LoadBackend, SaysHowToGetOnnxRuntime) {
  const MemoryFolder folder;
  write_export(folder / "1", small_graph());
  EXPECT_EQ(
      "backend error: this program has no engine for the target: cpu\n"
      "  fix: build the package with -o '&:with_onnxruntime=True'",
      message_of(ErrorKind::kBackend, [&] { load_backend(folder / "1", "cpu"); }));
}

#endif

}  // namespace
}  // namespace base
