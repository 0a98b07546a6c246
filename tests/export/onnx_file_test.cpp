#include "base/export/onnx_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "base/export/onnx_check.h"
#include "base/log/error.h"
#include "base/records/bytes.h"
#include "tests/export/graphs.h"
#include "tests/support/temporary_folder.h"
#include "tests/tensor/message_of.h"

namespace {

using base::ErrorKind;
using base::message_of;
using base::OnnxGraph;
using base::problem_of;
using base::TemporaryFolder;
using base::write_onnx;
using export_test::floats;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

OnnxGraph with_weights(std::size_t count) {
  OnnxGraph graph = export_test::mlp();
  graph.initializers.push_back(floats("spare", {static_cast<std::int64_t>(count)}, std::vector<float>(count, 1.5F)));
  return graph;
}

TEST(OnnxCheck, FindsNothingWrongWithAWholeGraph) {
  for (const auto& [name, graph] : export_test::all_graphs()) EXPECT_EQ("", problem_of(graph)) << name;
}

TEST(OnnxCheck, NamesWhatIsWrong) {
  const auto problem_after = [](const auto& change) {
    OnnxGraph graph = export_test::mlp();
    change(graph);
    return problem_of(graph);
  };
  EXPECT_EQ("Relu 'relu/Relu' takes 'hidden', which nothing makes before it",
            problem_after([](OnnxGraph& graph) { std::swap(graph.nodes[0], graph.nodes[1]); }));
  EXPECT_EQ("Relu 'relu/Relu' makes 'hidden' a second time",
            problem_after([](OnnxGraph& graph) { graph.nodes[1].outputs = {"hidden"}; }));
  EXPECT_EQ("nothing makes the output 'y'", problem_after([](OnnxGraph& graph) { graph.nodes.pop_back(); }));
  EXPECT_EQ("the constant 'head.bias' has 16 bytes, its shape takes 20",
            problem_after([](OnnxGraph& graph) { graph.initializers.back().view.shape = {5}; }));
  EXPECT_EQ("the constant 'x' has the name of another value",
            problem_after([](OnnxGraph& graph) { graph.initializers.push_back(floats("x", {}, {1.F})); }));
  EXPECT_EQ("the attribute 'value' of Relu 'relu/Relu' has 4 bytes, its shape takes 8",
            problem_after([](OnnxGraph& graph) {
              graph.nodes[1].attributes["value"] = floats("", {2}, {1.F, 2.F});
              auto& tensor = std::get<base::OnnxTensor>(graph.nodes[1].attributes["value"]);
              tensor.view.bytes = tensor.view.bytes.first(4);
            }));
}

TEST(OnnxFile, KeepsASmallModelInOneFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(write_onnx(export_test::mlp(), folder / "model.onnx"), ElementsAre(folder / "model.onnx"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("model.onnx"));
  EXPECT_THAT(folder.read("model.onnx"), HasSubstr("hidden/Gemm"));
}

TEST(OnnxFile, PutsWeightsThatDoNotFitBesideTheModelAtWholePages) {
  const TemporaryFolder folder;
  OnnxGraph graph = with_weights(3000);
  graph.initializers.push_back(floats("last", {300}, std::vector<float>(300, 2.5F)));
  const auto written = write_onnx(graph, folder / "model.onnx", {.most_bytes = 4000});
  EXPECT_THAT(written, ElementsAre(folder / "model.onnx", folder / "model.onnx.data"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("model.onnx", "model.onnx.data"));
  const std::string model = folder.read("model.onnx");
  EXPECT_LT(model.size(), 4000U);
  EXPECT_THAT(model, HasSubstr("model.onnx.data"));
  EXPECT_THAT(model, HasSubstr("12288"));  // the offset of the last one: 12000 bytes come before it
  const std::string data = folder.read("model.onnx.data");
  ASSERT_EQ(data.size(), 12288U + 1200U);
  EXPECT_EQ(data.substr(0, 12000), base::text_of(graph.initializers[4].view.bytes));
  EXPECT_EQ(data.substr(12000, 288), std::string(288, '\0'));
  EXPECT_EQ(data.substr(12288), base::text_of(graph.initializers[5].view.bytes));
}

TEST(OnnxFile, SplitsAtTheLimitToTheByte) {
  const TemporaryFolder folder;
  const OnnxGraph graph = with_weights(1000);
  write_onnx(graph, folder / "whole");
  const std::uint64_t size = std::filesystem::file_size(folder / "whole");
  EXPECT_EQ(1U, write_onnx(graph, folder / "fits", {.most_bytes = size}).size());
  EXPECT_EQ(2U, write_onnx(graph, folder / "split", {.most_bytes = size - 1}).size());
}

TEST(OnnxFile, RefusesAGraphThatIsTooLargeWithoutWeights) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of(ErrorKind::kExport,
                         [&] { write_onnx(export_test::mlp(), folder / "model.onnx", {.most_bytes = 100}); }),
              HasSubstr("export error: the model is too large without its weights: "));
  EXPECT_THAT(names_in(folder.path()), ElementsAre());
}

TEST(OnnxFile, RefusesAGraphThatIsNotWhole) {
  const TemporaryFolder folder;
  OnnxGraph graph = export_test::mlp();
  graph.nodes.pop_back();
  EXPECT_EQ(
      message_of(ErrorKind::kExport, [&] { write_onnx(graph, folder / "model.onnx"); }),
      "export error: the graph of the model is not whole: nothing makes the output 'y'\n  fix: report this model");
  EXPECT_THAT(names_in(folder.path()), ElementsAre());
}

TEST(OnnxFile, LeavesTheOldModelWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  folder.write("model.onnx", "the old one");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = 100'000;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string message =
      message_of(ErrorKind::kData, [&] { write_onnx(with_weights(1'000'000), folder / "model.onnx"); });
  const std::string split = message_of(
      ErrorKind::kData, [&] { write_onnx(with_weights(1'000'000), folder / "new.onnx", {.most_bytes = 10'000}); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("the file cannot be written: "));
  EXPECT_THAT(split, HasSubstr("new.onnx.data.partial"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("model.onnx"));
  EXPECT_EQ(folder.read("model.onnx"), "the old one");
}

}  // namespace
