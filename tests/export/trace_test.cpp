#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <regex>

#include "base/export/onnx_check.h"
#include "base/export/onnx_lowering.h"
#include "base/export/size_expression.h"
#include "base/export/torch_script.h"
#include "base/export/trace.h"
#include "base/log/error.h"
#include "tests/support/temporary_folder.h"

namespace base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

}  // namespace

torch::Tensor unknown_operator(const torch::Tensor& x);  // in a file with debug information

namespace {

/// A linear layer, and whatever a test wants to do with what it gives.
class SmallModel final : public Model {
 public:
  using Step = std::function<torch::Tensor(const torch::Tensor&)>;

  explicit SmallModel(Step forward, Step preprocess = {}, Step postprocess = {})
      : forward_(std::move(forward)), preprocess_(std::move(preprocess)), postprocess_(std::move(postprocess)) {
    layer_ = register_module("layer", torch::nn::Linear(4, 6));
  }

  Tensors example_inputs() const override { return {{"x", torch::ones({batch, 4})}}; }
  std::vector<DynamicAxis> dynamic_axes() const override { return axes ? *axes : Model::dynamic_axes(); }
  Tensors preprocess(Tensors inputs) const override {
    return {{"x", preprocess_ ? preprocess_(inputs["x"]) : inputs["x"]}};
  }
  Tensors forward(const Tensors& inputs) override { return {{"scores", forward_(layer_(inputs["x"]))}}; }
  Tensors postprocess(Tensors outputs) const override {
    return {{"scores", postprocess_ ? postprocess_(outputs["scores"]) : outputs["scores"]}};
  }
  torch::Tensor loss(const Tensors&, const Tensors&) override { return {}; }

  std::int64_t batch = 3;
  std::optional<std::vector<DynamicAxis>> axes;

 private:
  Step forward_;
  Step preprocess_;
  Step postprocess_;
  torch::nn::Linear layer_{nullptr};
};

torch::Tensor same(const torch::Tensor& x) {
  return x;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(ErrorKind::kExport, error.kind());
    return error.what();
  }
  return "no error";
}

/// The message without lines of C++, which are in there if the tests have debug information.
std::string without_lines(const std::string& message) {
  return std::regex_replace(message, std::regex(", [^ ,()]+:[0-9]+"), "");
}

std::string traced_message(SmallModel& model) {
  return without_lines(message_of([&] { trace_model(model); }));
}

std::string lowered_message(SmallModel& model) {
  return without_lines(message_of([&] { lower_to_onnx(trace_model(model)); }));
}

torch::Tensor run(const Trace& trace, const torch::Tensor& x) {
  return trace.module->forward({x}).toTensor();
}

TEST(Trace, TakesOtherSizesThanTheExampleHas) {
  SmallModel model([](const torch::Tensor& x) { return x.view({x.size(0), 2, 3}) + torch::zeros({x.size(0), 1, 1}); });
  const Trace trace = trace_model(model);
  model.set_mode(Model::Mode::kInfer);
  for (const std::int64_t size : {1, 2, 3, 17}) {
    const torch::Tensor x = torch::randn({size, 4});
    EXPECT_TRUE(torch::equal(model.run({{"x", x}})["scores"], run(trace, x))) << size;
  }
}

TEST(Trace, HasTheModelsSignature) {
  SmallModel model([](const torch::Tensor& x) { return torch::cat({x, x}).argmax(1); });
  const Signature signature = trace_model(model).signature;
  EXPECT_THAT(signature.inputs, ElementsAre(TensorSpec{"x", DType::kF32, {{3, "batch"}, {4}}}));
  EXPECT_THAT(signature.outputs, ElementsAre(TensorSpec{"scores", DType::kI64, {{6, "scores_0"}}}));
}

TEST(Trace, OfABatchOfOneTakesOthersToo) {
  SmallModel model([](const torch::Tensor& x) { return x * x.size(0); });
  model.batch = 1;
  const Trace trace = trace_model(model);
  EXPECT_THAT(trace.signature.outputs[0].axes, ElementsAre(Axis{1, "batch"}, Axis{6}));
  EXPECT_TRUE(torch::allclose(run(trace, torch::ones({5, 4})), 5 * run(trace, torch::ones({1, 4})).expand({5, 6})));
}

/// A row of 16 numbers, or a picture of 64 by 64, of any size, and whatever a test wants to do with it.
class AnySize final : public Model {
 public:
  AnySize(std::vector<std::int64_t> shape, SmallModel::Step forward)
      : shape_(std::move(shape)), forward_(std::move(forward)) {}
  Tensors example_inputs() const override { return {{"x", torch::randn(shape_)}}; }
  std::vector<DynamicAxis> dynamic_axes() const override {
    std::vector<DynamicAxis> axes = {{"x", -1, "width"}};
    if (shape_.size() > 2) axes.push_back({"x", -2, "height"});
    return axes;
  }
  Tensors forward(const Tensors& inputs) override { return {{"y", forward_(inputs["x"])}}; }
  torch::Tensor loss(const Tensors&, const Tensors&) override { return {}; }

 private:
  std::vector<std::int64_t> shape_;
  SmallModel::Step forward_;
};

TEST(Trace, DividesSizesAsTheModelDoes) {
  for (const std::int64_t divisor : {2, 3, 6, 8, 16}) {
    for (const std::int64_t before : {std::int64_t{0}, divisor - 1}) {
      AnySize model({2, 16},
                    [=](const torch::Tensor& x) { return std::get<0>(x.topk((x.size(1) + before) / divisor)); });
      const Trace trace = trace_model(model);
      for (std::int64_t size = 1; size < 100; ++size) {
        const torch::Tensor x = torch::randn({2, size});
        ASSERT_TRUE(torch::equal(model.run({{"x", x}})["y"], run(trace, x))) << size << " / " << divisor;
      }
    }
  }
}

TEST(Trace, SeesSizesThatOnlyDifferFarFromTheExample) {
  const auto pooled = [](torch::Tensor x) {
    for (int i = 0; i < 5; ++i) x = torch::max_pool2d(x, 2);
    return x;
  };
  AnySize to_one({1, 3, 64, 64}, [=](const torch::Tensor& x) { return torch::adaptive_avg_pool2d(pooled(x), {1, 1}); });
  const Trace trace = trace_model(to_one);
  const torch::Tensor x = torch::randn({1, 3, 130, 200});
  EXPECT_TRUE(torch::allclose(to_one.run({{"x", x}})["y"], run(trace, x)));
  EXPECT_EQ("", problem_of(lower_to_onnx(trace)));
  AnySize to_two({1, 3, 64, 64}, [=](const torch::Tensor& x) { return torch::adaptive_avg_pool2d(pooled(x), {2, 2}); });
  EXPECT_THAT(message_of([&] { lower_to_onnx(trace_model(to_two)); }),
              HasSubstr("along a dynamic axis only pools to a single number can be exported"));
}

TEST(Trace, WithoutDynamicAxesIsOfTheExamplesSize) {
  SmallModel model([](const torch::Tensor& x) { return x.view({x.size(0), 2, 3}); });
  model.axes.emplace();
  const Trace trace = trace_model(model);
  EXPECT_THAT(trace.signature.inputs[0].axes, ElementsAre(Axis{3}, Axis{4}));
  EXPECT_THROW(run(trace, torch::ones({5, 4})), std::exception);
}

TEST(Trace, LeavesTheModelAsItWas) {
  SmallModel model(same);
  model.parameters()[0].set_data(model.parameters()[0].t().contiguous().t());  // another layout, as channels_last is
  const auto* memory = model.parameters()[0].const_data_ptr<float>();
  trace_model(model);
  EXPECT_EQ(Model::Mode::kTrain, model.mode());
  EXPECT_TRUE(model.is_training());
  EXPECT_EQ(memory, model.parameters()[0].const_data_ptr<float>());
  EXPECT_FALSE(model.parameters()[0].is_contiguous());
  EXPECT_TRUE(model.parameters()[0].requires_grad());
}

TEST(Trace, LeavesTheModelAsItWasIfItFails) {
  SmallModel model([](const torch::Tensor& x) { return x.view({5, 5}); });
  EXPECT_THAT(traced_message(model), HasSubstr("export error: the model cannot be run with batch = 3: "));
  EXPECT_EQ(Model::Mode::kTrain, model.mode());
}

TEST(Trace, SaysWhichOperatorIsThereForSomeSizesOnly) {
  SmallModel model([](torch::Tensor x) {
    for (std::int64_t i = 0; i < x.size(0); ++i) x = x.sin();
    return x;
  });
  EXPECT_EQ(
      "export error: what the model computes depends on the size of its inputs ('batch'): aten::sin in forward, after "
      "'layer' differs from size to size\n"
      "  fix: compute it with operators on tensors, without loops and conditions on sizes, or leave the axis out of "
      "dynamic_axes()",
      traced_message(model));
}

TEST(Trace, SaysThatATensorWasMadeOfSizes) {
  SmallModel model(
      [](const torch::Tensor& x) { return x * torch::tensor(std::vector<float>(6, static_cast<float>(x.size(0)))); });
  EXPECT_THAT(traced_message(model), HasSubstr("a tensor made without operators, float32 [6] in forward"));
}

TEST(Trace, SaysThatANumberCannotBeComputedFromSizes) {
  SmallModel model([](const torch::Tensor& x) { return x.add(static_cast<double>(x.size(0) == 3 ? 7 : 1)); });
  EXPECT_THAT(traced_message(model), HasSubstr("a constant in forward, after 'layer' differs from size to size"));
}

TEST(Trace, ChecksTheDynamicAxes) {
  SmallModel model(same);
  model.axes.emplace({Model::DynamicAxis{"y", 0, "batch"}});
  EXPECT_THAT(traced_message(model),
              HasSubstr("a dynamic axis does not fit the example inputs: 'batch': axis 0 of 'y'"));
  model.axes.emplace({Model::DynamicAxis{"x", 0, "same"}, Model::DynamicAxis{"x", 1, "same"}});
  EXPECT_THAT(traced_message(model), HasSubstr("axes of one name are of one size, which is not 0: 'same' is 3 and 4"));
  model.axes.emplace({Model::DynamicAxis{"x", -1, "width"}});
  EXPECT_THAT(traced_message(model), HasSubstr("the model cannot be run with width = 8: "));
}

TEST(TorchScript, KeepsTheNamesOfParameters) {
  const TemporaryFolder folder;
  SmallModel model(same);
  write_torch_script(trace_model(model), folder.path() / "model.pt");
  std::vector<std::string> names;
  for (const auto& parameter : torch::jit::Module(*trace_model(model).module).named_parameters())
    names.push_back(parameter.name);
  EXPECT_THAT(names, ElementsAre("layer.weight", "layer.bias"));
  EXPECT_THROW(write_torch_script(trace_model(model), folder.path() / "nowhere" / "model.pt"), Error);
}

TEST(Lowering, MakesAGraphWithTheLayersNames) {
  SmallModel model([](const torch::Tensor& x) { return x.relu(); }, [](const torch::Tensor& x) { return x / 255; });
  const OnnxGraph graph = lower_to_onnx(trace_model(model));
  EXPECT_EQ("", problem_of(graph));
  std::vector<std::string> names;
  for (const OnnxNode& node : graph.nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("preprocess/Div", "layer/Gemm", "Relu"));
  EXPECT_EQ((std::vector<Axis>{{3, "batch"}, {6}}), graph.values.at("layer/Gemm").axes);
}

TEST(Lowering, NamesAllOperatorsThatItCannotExport) {
  SmallModel model([](const torch::Tensor& x) { return torch::cumprod(x, 1); },
                   [](const torch::Tensor& x) { return torch::i0(x); },
                   [](const torch::Tensor& x) { return torch::dropout(x, 0.5, true); });
  EXPECT_EQ(
      "export error: the model has operators that cannot be exported to ONNX: \n"
      "    aten::i0 (preprocess): ONNX has no counterpart that is known here\n"
      "    aten::cumprod (forward, after 'layer'): ONNX has no counterpart that is known here\n"
      "    aten::dropout (postprocess): it draws random numbers: is the layer in eval mode?\n"
      "  fix: write them with others",
      lowered_message(model));
}

TEST(Lowering, RefusesComplexNumbersByTheirOperator) {
  SmallModel model([](const torch::Tensor& x) { return torch::real(torch::fft_fft(x)); });
  EXPECT_THAT(lowered_message(model), HasSubstr("aten::fft_fft (forward, after 'layer'): ONNX has no counterpart"));
}

TEST(Lowering, NamesTheLineOfAnOperatorThatItCannotExport) {
  SmallModel model(unknown_operator);
  EXPECT_THAT(
      message_of([&] { lower_to_onnx(trace_model(model)); }),
      MatchesRegex("(.|\n)*aten::i0 \\(forward, after 'layer', [^ ]*export/unknown_operator.cpp:9\\): (.|\n)*"));
}

TEST(Lowering, RefusesToWriteIntoAPartOfATensor) {
  SmallModel model([](const torch::Tensor& x) {
    torch::Tensor y = x.clone();
    y.select(1, 0).fill_(7);
    return y;
  });
  EXPECT_THAT(
      lowered_message(model),
      HasSubstr("aten::fill_ (forward, after 'layer'): it writes into a tensor that is used under another name later"));
}

TEST(Lowering, RefusesResultsWhoseSizeDependsOnTheInputs) {
  SmallModel model([](const torch::Tensor& x) { return x.index({x.select(1, 0) > -1e9}); });
  EXPECT_THAT(lowered_message(model), HasSubstr("aten::index (forward, after 'layer'): with a mask"));
}

TEST(Lowering, RefusesNormsOfMatrices) {
  SmallModel by_number([](const torch::Tensor& x) { return torch::linalg_norm(x, 2); });
  EXPECT_THAT(lowered_message(by_number),
              HasSubstr("aten::linalg_norm (forward, after 'layer'): the norm of a matrix"));
  SmallModel by_name([](const torch::Tensor& x) { return torch::linalg_norm(x, "nuc"); });
  EXPECT_THAT(lowered_message(by_name), HasSubstr("aten::linalg_norm (forward, after 'layer'): the norm of a matrix"));
}

TEST(Lowering, RefusesToTakeFromAllNumbersInARow) {
  SmallModel model([](const torch::Tensor& x) { return torch::take_along_dim(x, torch::zeros({5}, torch::kLong)); });
  EXPECT_THAT(lowered_message(model), HasSubstr("aten::take_along_dim (forward, after 'layer'): without dim"));
}

TEST(Lowering, NamesTheOperatorWhoseArgumentsItDoesNotExpect) {
  SmallModel model([](const torch::Tensor& x) { return std::get<0>(x.sum().sort(0)); });
  EXPECT_THAT(lowered_message(model),
              HasSubstr("aten::sort (forward, after 'layer'): its arguments cannot be exported"));
}

TEST(SizeExpression, IsNoneWhereSeveralQuotientsFit) {
  const std::vector<Numbers> small = {{5, 6, 10, 11, 19}};
  EXPECT_FALSE(find_expression({0, 0, 1, 1, 2}, small)) << "n / 7, n / 8 or n / 9";
  const std::vector<Numbers> far = {{16, 17, 19, 33, 63}};
  const auto sixth = find_expression({2, 2, 3, 5, 10}, far);
  ASSERT_TRUE(sixth);
  EXPECT_EQ(6, sixth->divisor);
  EXPECT_EQ(0, sixth->before);
  const std::vector<Numbers> multiples = {{16, 32, 48, 64}};
  const auto quarter = find_expression({5, 9, 13, 17}, multiples);
  ASSERT_TRUE(quarter);
  EXPECT_EQ(4, quarter->divisor);
  EXPECT_EQ(1, quarter->offset);
}

TEST(SizeExpression, FindsTheSimplestOne) {
  const std::vector<Numbers> sizes = {{3, 4, 3, 6}, {5, 5, 6, 8}};
  const auto same_size = find_expression({5, 5, 6, 8}, sizes);
  ASSERT_TRUE(same_size);
  EXPECT_EQ(1U, same_size->first);
  EXPECT_EQ(1, same_size->factor);
  const auto line = find_expression({5, 7, 5, 11}, sizes);
  ASSERT_TRUE(line);
  EXPECT_EQ(2, line->factor);
  EXPECT_EQ(-1, line->offset);
  const auto product = find_expression({30, 40, 36, 96}, sizes);
  ASSERT_TRUE(product);
  EXPECT_EQ(1U, product->second);
  EXPECT_EQ(2, product->factor);
  const auto half = find_expression({2, 2, 3, 4}, sizes);
  ASSERT_TRUE(half);
  EXPECT_EQ(2, half->divisor);
  EXPECT_FALSE(find_expression({7, 1, 7, 2}, sizes));
}

}  // namespace
}  // namespace base
