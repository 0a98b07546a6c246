#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/error.h"
#include "base/metrics/accuracy.h"
#include "base/model/freeze.h"
#include "base/model/hook.h"
#include "base/model/mnist_cnn.h"
#include "base/model/model.h"
#include "tests/model/support.h"

namespace base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Doubles what it is given on each of the three ways, so that the result tells which were taken.
class Doubler final : public Model {
 public:
  explicit Doubler(Tensors example = {{"a", torch::zeros({1, 2})}, {"b", torch::zeros({1, 2})}})
      : example_(std::move(example)) {
    dropout_ = register_module("dropout", torch::nn::Dropout());
  }

  Tensors example_inputs() const override {
    ++asked;
    return example_;
  }
  Tensors preprocess(Tensors inputs) const override {
    for (auto& [name, tensor] : inputs) tensor = tensor * 2;
    return inputs;
  }
  Tensors forward(const Tensors& inputs) override {
    names.clear();
    for (const auto& [name, tensor] : inputs) names.push_back(name);
    return {{"sum", inputs["a"] + inputs["b"]}};
  }
  Tensors postprocess(Tensors outputs) const override { return {{"answer", outputs["sum"] * 10}}; }
  torch::Tensor loss(const Tensors& outputs, const Tensors&) override { return outputs["sum"].mean(); }

  bool drops_out() const { return dropout_->is_training(); }

  mutable int asked = 0;
  std::vector<std::string> names;

 private:
  Tensors example_;
  torch::nn::Dropout dropout_{nullptr};
};

const Tensors kBatch{{"label", torch::zeros({1})}, {"b", torch::ones({1, 2})}, {"a", torch::ones({1, 2})}};

TEST(Model, NamesTheHookThatFailsAndWhatItWasGiven) {
  Doubler model;
  try {
    model.run({{"a", torch::ones({1, 2})}, {"b", torch::ones({1, 3})}});
    FAIL() << "2 and 3 columns were added";
  } catch (const Error& error) {
    EXPECT_EQ(ErrorKind::kTraining, error.kind());
    EXPECT_THAT(error.what(), HasSubstr("forward() of the model fails: The size of tensor a (2)"));
    EXPECT_THAT(error.what(), HasSubstr("b float32 [1, 3]"));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("frame #")));
  }
}

TEST(Model, NamesTheHookThatAsksForATensorThatIsNotThere) {
  try {
    run_hook("loss", kBatch, [] { return kBatch["lable"].mean(); });
    FAIL() << "there is no lable";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no tensor of this name: lable"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean label?"));
    EXPECT_THAT(error.what(), HasSubstr("\n  in: loss() of the model"));
  }
}

TEST(Model, RunsWithItsInputsAlone) {
  Doubler model;
  const Tensors outputs = model.run(kBatch);
  EXPECT_EQ(4, outputs["sum"][0][0].item<float>());
  EXPECT_THAT(model.names, ElementsAre("a", "b")) << "in the order of the signature, without the label";
  model.run(kBatch);
  EXPECT_EQ(1, model.asked) << "the signature is asked for once";
  EXPECT_EQ(1, kBatch["a"][0][0].item<float>()) << "the batch is left as it was";
}

TEST(Model, PostprocessesOnlyToInfer) {
  Doubler model;
  model.set_mode(Model::Mode::kEval);
  EXPECT_NE(nullptr, model.run(kBatch).find("sum"));
  model.set_mode(Model::Mode::kInfer);
  EXPECT_EQ(40, model.run(kBatch)["answer"][0][0].item<float>());
}

TEST(Model, SwitchesItsLayersWithTheMode) {
  Doubler model;
  EXPECT_EQ(Model::Mode::kTrain, model.mode());
  for (const auto& [mode, drops_out] :
       {std::pair{Model::Mode::kEval, false}, {Model::Mode::kTrain, true}, {Model::Mode::kInfer, false}}) {
    model.set_mode(mode);
    EXPECT_EQ(mode, model.mode());
    EXPECT_EQ(drops_out, model.drops_out());
  }
}

TEST(Model, NamesAnInputThatTheBatchLacks) {
  Doubler model;
  const std::string message = message_of(ErrorKind::kUsage, [&] { model.run({{"a", torch::ones({1})}}); });
  EXPECT_THAT(message, HasSubstr("no tensor of this name: b"));
  EXPECT_THAT(message, HasSubstr("a"));
}

TEST(Model, RefusesToRunWithoutInputs) {
  Doubler model{Tensors{}};
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { model.run(kBatch); }), HasSubstr("example_inputs"));
}

class Pictures final : public Model {
 public:
  Pictures(torch::IntArrayRef shape, bool convolutions) : shape_(shape.vec()) {
    if (convolutions) register_module("network", std::make_shared<MnistCnn>());
  }
  Tensors example_inputs() const override { return {{"x", torch::zeros(shape_)}}; }
  Tensors forward(const Tensors& inputs) override { return inputs; }
  torch::Tensor loss(const Tensors&, const Tensors&) override { return torch::zeros({}); }

 private:
  std::vector<std::int64_t> shape_;
};

TEST(Model, PrefersChannelsLastForConvolutionsOfPictures) {
  EXPECT_TRUE(Pictures({1, 1, 28, 28}, true).prefers_channels_last());
  EXPECT_FALSE(Pictures({1, 1, 28, 28}, false).prefers_channels_last());
  EXPECT_FALSE(Pictures({1, 1, 28}, true).prefers_channels_last());
}

TEST(CheckLabels, LetsLabelsInRangePass) {
  check_labels(torch::tensor({0, 9, 5}), 10, {});
  check_labels(torch::tensor({0, 9, 5}, torch::kUInt8), 10, {});
  check_labels(torch::empty({0}, torch::kLong), 10, {});
  check_labels(torch::tensor(3), 10, {});
}

TEST(CheckLabels, NamesTheFirstThatIsOutOfRange) {
  const auto name = [](std::int64_t position) { return "image " + std::to_string(100 + position); };
  const auto check = [&](const torch::Tensor& labels) {
    return message_of(ErrorKind::kData, [&] { check_labels(labels, 10, name); });
  };
  const std::string message = check(torch::tensor({0, 10, 11}));
  EXPECT_THAT(message, HasSubstr("out of range: 10 in image 101"));
  EXPECT_THAT(message, HasSubstr("from 0 to 9"));
  EXPECT_THAT(check(torch::tensor({0, 1, -1})), HasSubstr("-1 in image 102"));
  EXPECT_THAT(check(torch::tensor({0, 1, 200}, torch::kUInt8)), HasSubstr("200 in image 102"));
  EXPECT_THAT(check(torch::tensor({{0, 1}, {2, 3}, {4, 99}})), HasSubstr("99 in image 102")) << "two labels an example";
  EXPECT_THAT(check(torch::stack({torch::tensor({0, 1}), torch::tensor({50, 1})}).t()), HasSubstr("50 in image 100"))
      << "in whatever layout";
  EXPECT_THAT(message_of(ErrorKind::kData,
                         [] {
                           check_labels(torch::tensor({0, 10}), 10, {});
                         }),
              HasSubstr("10 in example 1 of the batch"));
  EXPECT_THAT(check(torch::tensor({0.0, 1.0})), HasSubstr("float32 [2]"));
}

}  // namespace
}  // namespace base
