#include "base/torch.h"

#include "base/export/export_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/infer/backend.h"
#include "base/log/error.h"
#include "base/tensor/tensor_view.h"
#include "tests/support/temporary_folder.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// As networks for pictures do it: down, up again, and what was before added. Takes multiples of 4 alone.
class DownAndUp final : public Model {
 public:
  DownAndUp() {
    down_ = register_module("down", torch::nn::Conv1d(torch::nn::Conv1dOptions(2, 3, 4).stride(4)));
    up_ = register_module("up", torch::nn::ConvTranspose1d(torch::nn::ConvTranspose1dOptions(3, 2, 4).stride(4)));
  }
  Tensors example_inputs() const override { return {{"x", torch::ones({1, 2, 16})}}; }
  std::vector<DynamicAxis> dynamic_axes() const override { return {{"x", 0, "batch"}, {"x", 2, "time"}}; }
  Tensors forward(const Tensors& inputs) override { return {{"y", up_(down_(inputs["x"]).relu()) + inputs["x"]}}; }
  torch::Tensor loss(const Tensors&, const Tensors&) override { return {}; }

 private:
  torch::nn::Conv1d down_{nullptr};
  torch::nn::ConvTranspose1d up_{nullptr};
};

/// Looks its input up in a table of ten rows.
class Lookup final : public Model {
 public:
  explicit Lookup(torch::ScalarType type) : type_(type) {
    table_ = register_module("table", torch::nn::Embedding(10, 4));
  }
  Tensors example_inputs() const override { return {{"x", torch::arange(10).to(type_).unsqueeze(0)}}; }
  Tensors forward(const Tensors& inputs) override { return {{"y", table_(inputs["x"].to(torch::kLong)).sum(1)}}; }
  torch::Tensor loss(const Tensors&, const Tensors&) override { return {}; }

 private:
  torch::ScalarType type_;
  torch::nn::Embedding table_{nullptr};
};

TEST(ExportModel, ProvesAModelThatTakesMultiplesOfASizeAlone) {
  const TemporaryFolder folder;
  DownAndUp model;
  export_model(model, {.folder = folder / "1"});
  const auto backend = load_backend(folder / "1", "cpu");
  const torch::Tensor x = torch::randn({3, 2, 40});
  EXPECT_THAT(backend->run(std::vector{view_of("x", x)})[0].shape, ElementsAre(3, 2, 40));
}

TEST(ExportModel, ProvesAModelWhoseInputIsANumberOfARow) {
  for (const torch::ScalarType type : {torch::kUInt8, torch::kInt, torch::kLong, torch::kFloat}) {
    const TemporaryFolder folder;
    Lookup model(type);
    export_model(model, {.folder = folder / "1"});
    EXPECT_TRUE(std::filesystem::exists(folder / "1/manifest.json")) << type;
  }
}

TEST(ExportModel, TellsWhatOthersThrowAsItsOwnError) {
  const TemporaryFolder folder;
  DownAndUp model;
  ExportRequest request{.folder = folder / "1", .manifest = {.precision = "int8"}};
  request.calibration = []() -> std::optional<Tensors> { throw std::runtime_error("the disk is gone\nat line 7"); };
  EXPECT_THAT(message_of(ErrorKind::kExport, [&] { export_model(model, request); }),
              HasSubstr("export error: the model cannot be exported: the disk is gone\n  fix: "));
  EXPECT_FALSE(std::filesystem::exists(folder / "1"));
}

}  // namespace
}  // namespace base
