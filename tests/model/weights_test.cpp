#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/model/freeze.h"
#include "base/model/mlp.h"
#include "base/model/model.h"
#include "base/model/name_pattern.h"
#include "base/model/resnet.h"
#include "base/model/weights.h"
#include "base/tensor/tensor_view.h"
#include "tests/model/support.h"
#include "tests/support/temporary_folder.h"

namespace base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Mlp small(std::int64_t outputs = 2) {
  return Mlp({.inputs = 4, .hidden = {3}, .outputs = outputs});
}

std::map<std::string, torch::Tensor> copy_of(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> copies;
  for (const auto& item : module.named_parameters()) copies[item.key()] = item.value().detach().clone();
  for (const auto& item : module.named_buffers()) copies[item.key()] = item.value().clone();
  return copies;
}

bool same(const std::map<std::string, torch::Tensor>& a, const std::map<std::string, torch::Tensor>& b) {
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return x.first == y.first && torch::equal(x.second, y.second); });
}

class Weights : public testing::Test {
 protected:
  // A file with these tensors.
  std::filesystem::path write(const std::map<std::string, torch::Tensor>& tensors) {
    std::vector<TensorView> views;
    for (const auto& [name, tensor] : tensors) views.push_back(view_of(name, tensor));
    write_safetensors(path_, views);
    return path_;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "weights.safetensors";
};

TEST_F(Weights, AreTheSameAfterSavingAndLoading) {
  CifarResNet network({.depth = 8});
  network.forward(torch::rand({4, 3, 16, 16}));  // so that the statistics are not the first ones
  save_weights(network, path_);
  CifarResNet other({.depth = 8});
  const LoadReport report = load_weights(other, path_);
  EXPECT_TRUE(same(copy_of(network), copy_of(other)));
  EXPECT_EQ(1, copy_of(other).at("bn1.num_batches_tracked").item<std::int64_t>());
  EXPECT_TRUE(report.fits());
  EXPECT_EQ(copy_of(network).size(), report.matched.size());
  EXPECT_THAT(report.summary(), HasSubstr("44 of 44 tensors loaded"));
  const std::filesystem::directory_iterator files(folder_.path());
  EXPECT_EQ(1, std::distance(begin(files), end(files))) << "nothing is left beside the file";
}

TEST_F(Weights, StayLeavesThatLearn) {
  Mlp network = small();
  save_weights(network, path_);
  const torch::Tensor before = network.parameters()[0];
  load_weights(network, path_);
  EXPECT_TRUE(before.is_same(network.parameters()[0])) << "an optimizer holds the same tensors as before";
  EXPECT_TRUE(before.is_leaf() && before.requires_grad());
  EXPECT_FALSE(before.grad().defined());
}

TEST_F(Weights, SaveAnyLayout) {
  ResNet network({.classes = 3});
  for (auto& parameter : network.parameters())
    if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
  save_weights(network, path_);
  ResNet other({.classes = 3});
  load_weights(other, path_);
  EXPECT_TRUE(same(copy_of(network), copy_of(other)));
  load_weights(network, path_);
  EXPECT_TRUE(network.parameters()[0].is_contiguous(torch::MemoryFormat::ChannelsLast)) << "the layout is kept";
}

TEST_F(Weights, SayAllThatIsWrongAtOnceAndChangeNothing) {
  Mlp network = small();
  auto tensors = copy_of(small());
  tensors.erase("layers.0.bias");
  tensors["head.weight"] = torch::zeros({1});
  tensors["layers.1.weight"] = torch::zeros({5, 3});
  const auto before = copy_of(network);
  const std::string message = message_of(ErrorKind::kCheckpoint, [&] { load_weights(network, write(tensors)); });
  EXPECT_THAT(message, HasSubstr("do not fit the network"));
  EXPECT_THAT(message, HasSubstr(path_.string()));
  EXPECT_THAT(message, HasSubstr("2 of 4 tensors loaded"));
  EXPECT_THAT(message, HasSubstr("not in the file (1): layers.0.bias"));
  EXPECT_THAT(message, HasSubstr("only in the file (1): head.weight"));
  EXPECT_THAT(message, HasSubstr("of another shape (1): layers.1.weight: F32 [5, 3], not float32 [2, 3]"));
  EXPECT_TRUE(same(before, copy_of(network)));
}

TEST_F(Weights, LoadInPartWhenAsked) {
  Mlp network = small();
  auto tensors = copy_of(small());
  tensors.erase("layers.0.bias");
  tensors["head.weight"] = torch::zeros({1});
  tensors["layers.1.weight"] = torch::zeros({5, 3});
  const auto before = copy_of(network);
  const LoadReport report = load_weights(network, write(tensors), {.partial = true});
  EXPECT_THAT(report.matched, ElementsAre("layers.0.weight", "layers.1.bias"));
  EXPECT_THAT(report.missing, ElementsAre("layers.0.bias"));
  EXPECT_THAT(report.left_over, ElementsAre("head.weight"));
  EXPECT_EQ(1u, report.mismatched.size());
  const auto after = copy_of(network);
  EXPECT_TRUE(torch::equal(tensors.at("layers.0.weight"), after.at("layers.0.weight")));
  EXPECT_TRUE(torch::equal(before.at("layers.1.weight"), after.at("layers.1.weight")));
}

TEST_F(Weights, RefuseAFileOfWhichNothingFits) {
  Mlp network = small();
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint,
                         [&] {
                           load_weights(network, write({{"x", torch::zeros({1})}}), {.partial = true});
                         }),
              HasSubstr("nothing in common"));
}

TEST_F(Weights, NeverBroadcast) {
  Mlp network({.inputs = 1, .hidden = {}, .outputs = 3});
  EXPECT_THAT(
      message_of(
          ErrorKind::kCheckpoint,
          [&] {
            load_weights(network, write({{"layers.0.weight", torch::zeros({3})}, {"layers.0.bias", torch::zeros({})}}));
          }),
      HasSubstr("layers.0.weight: F32 [3], not float32 [3, 1], layers.0.bias: F32 [], not float32 [3]"));
}

TEST_F(Weights, SkipAHeadThatIsToBeTrainedAnew) {
  Mlp network = small(2);
  const auto before = copy_of(network);
  save_weights(small(1000), path_);
  const LoadReport report = load_weights(network, path_, {.skip = {"layers.1"}});
  EXPECT_THAT(report.skipped, ElementsAre("layers.1.weight", "layers.1.bias"));
  EXPECT_THAT(report.matched, ElementsAre("layers.0.weight", "layers.0.bias"));
  EXPECT_THAT(report.summary(), HasSubstr("skipped (2): layers.1.weight, layers.1.bias"));
  EXPECT_TRUE(torch::equal(before.at("layers.1.bias"), copy_of(network).at("layers.1.bias")));
  auto tensors = copy_of(small(1000));
  tensors["layers.1.scale"] = torch::zeros({1});
  EXPECT_THAT(load_weights(network, write(tensors), {.skip = {"layers.1.*"}}).left_over, IsEmpty())
      << "what the file alone has is skipped as well";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { load_weights(network, path_, {.skip = {"layer.1"}}); }),
              HasSubstr("did you mean layers.1?"));
}

TEST_F(Weights, AreRenamedByHowTheyBegin) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& [name, tensor] : copy_of(small())) {
    const bool first = name.starts_with("layers.0.");
    tensors[(first ? "module.body." : "module.head.") + name.substr(9)] = tensor;
  }
  Mlp network = small();
  load_weights(network, write(tensors), {.rename = {{"module.body.", "layers.0."}, {"module.head.", "layers.1."}}});
  EXPECT_TRUE(torch::equal(tensors.at("module.head.bias"), copy_of(network).at("layers.1.bias")));

  const std::string message = message_of(ErrorKind::kUsage, [&] {
    load_weights(network, path_, {.rename = {{"module.body.", "layers.0."}, {"module.head.", "layers.0."}}});
  });
  EXPECT_THAT(message, HasSubstr("layers.0."));

  std::map<std::string, torch::Tensor> prefixed;
  for (const auto& [name, tensor] : copy_of(small())) prefixed["_orig_mod." + name] = tensor;
  EXPECT_TRUE(load_weights(network, write(prefixed), {.rename = {{"_orig_mod.", ""}}}).fits());
}

TEST_F(Weights, AreConvertedFromOtherFloatingTypesAlone) {
  Mlp network = small();
  auto tensors = copy_of(small());
  tensors["layers.0.weight"] = tensors["layers.0.weight"].to(torch::kDouble);
  tensors["layers.1.weight"] = tensors["layers.1.weight"].to(torch::kBFloat16);
  load_weights(network, write(tensors));
  EXPECT_EQ(torch::kFloat, network.parameters()[0].scalar_type());
  EXPECT_TRUE(torch::equal(tensors["layers.1.weight"].to(torch::kFloat), copy_of(network).at("layers.1.weight")));
  tensors["layers.1.weight"] = torch::zeros({2, 3}, torch::kLong);
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, [&] { load_weights(network, write(tensors)); }),
              HasSubstr("layers.1.weight: I64 [2, 3], not float32 [2, 3]"));
}

TEST_F(Weights, MayLackTheCountOfBatches) {
  CifarResNet network({.depth = 8});
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& [name, tensor] : copy_of(network))
    if (!name.ends_with("num_batches_tracked")) tensors[name] = tensor;
  EXPECT_TRUE(load_weights(network, write(tensors)).fits());
}

TEST_F(Weights, ListTheFirstFewNamesOfMany) {
  ResNet network;
  std::map<std::string, torch::Tensor> tensors = {{"conv1.weight", torch::zeros({64, 3, 7, 7})}};
  const std::string message = message_of(ErrorKind::kCheckpoint, [&] { load_weights(network, write(tensors)); });
  EXPECT_THAT(message, HasSubstr("not in the file (101): bn1.weight, bn1.bias"));
  EXPECT_THAT(message, HasSubstr("and 93 more"));
  EXPECT_LT(message.size(), 800u);
}

TEST_F(Weights, RefuseAFileThatIsMissingOrDamaged) {
  Mlp network = small();
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_weights(network, folder_.path() / "none"); }), HasSubstr("none"));
  std::ofstream(path_) << "no weights";
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_weights(network, path_); }), HasSubstr("safetensors"));
}

TEST_F(Weights, LeaveTheOldFileAloneWhenTheyCannotBeSaved) {
  const auto network = small();
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { save_weights(network, folder_.path() / "none" / "w"); }),
              HasSubstr("none"));
  std::filesystem::create_directories(path_ / "not a file");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { save_weights(network, path_); }), HasSubstr("weights.safetensors"));
  const std::filesystem::directory_iterator files(folder_.path());
  EXPECT_EQ(1, std::distance(begin(files), end(files))) << "no temporary file stays";
}

TEST(NamePattern, StandsForNamesAndForWhatIsInThem) {
  EXPECT_TRUE(matches("layer1", "layer1.0.conv1.weight"));
  EXPECT_TRUE(matches("layer1.*", "layer1.0.conv1.weight"));
  EXPECT_TRUE(matches("*.bias", "layer1.0.bn1.bias"));
  EXPECT_TRUE(matches("layer[12].*", "layer2.0.bn1.bias"));
  EXPECT_TRUE(matches("*", "fc.weight"));
  EXPECT_TRUE(matches("fc.weight", "fc.weight"));
  EXPECT_FALSE(matches("layer1", "layer10.0.conv1.weight"));
  EXPECT_FALSE(matches("layer1.", "layer1.0.conv1.weight"));
  EXPECT_FALSE(matches("conv1", "layer1.0.conv1.weight"));
  EXPECT_FALSE(matches("", "fc.weight"));
}

TEST(Freeze, CountsWhatItFreezes) {
  ResNet network({.classes = 2});
  EXPECT_EQ(62u, freeze(network));
  EXPECT_EQ(2u, unfreeze(network, {"fc"}));
  for (const auto& item : network.named_parameters())
    EXPECT_EQ(item.key().starts_with("fc."), item.value().requires_grad()) << item.key();
  EXPECT_EQ(17u, unfreeze(network, {"layer4.*", "layer4.0.conv1.weight", "fc"})) << "each is counted once";
}

TEST(Freeze, NamesTheNearestForWhatThereIsNot) {
  ResNet network({.classes = 2});
  const auto frozen = [&](const std::string& pattern) {
    return message_of(ErrorKind::kUsage, [&] { freeze(network, {"fc", pattern}); });
  };
  EXPECT_THAT(frozen("layer5"), HasSubstr("did you mean layer1?"));
  EXPECT_THAT(frozen("leyer4.*"), HasSubstr("did you mean layer4?"));
  EXPECT_THAT(frozen("layer4.0.conv1.wieght"), HasSubstr("did you mean layer4.0.conv1.weight?"));
  EXPECT_THAT(frozen("attention_heads"), HasSubstr("its names are like conv1.weight"));
  EXPECT_TRUE(network.named_parameters()["fc.bias"].requires_grad()) << "nothing is changed";
  torch::nn::ReLU empty;
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { freeze(*empty); }), HasSubstr("no parameters"));
}

// A backbone that is frozen, and a head that learns.
class Transfer final : public Model {
 public:
  Transfer() {
    backbone = register_module("backbone", std::make_shared<CifarResNet>(CifarResNet::Options{.depth = 8}));
    norm = register_module("norm", torch::nn::BatchNorm1d(10));
    bare = register_module("bare", torch::nn::BatchNorm1d(torch::nn::BatchNorm1dOptions(10).affine(false)));
  }
  Tensors example_inputs() const override { return {{"image", torch::rand({4, 3, 16, 16})}}; }
  Tensors forward(const Tensors& inputs) override { return {{"y", bare(norm(backbone->forward(inputs["image"])))}}; }
  torch::Tensor loss(const Tensors& outputs, const Tensors&) override { return outputs["y"].square().sum(); }

  std::shared_ptr<CifarResNet> backbone;
  torch::nn::BatchNorm1d norm{nullptr};
  torch::nn::BatchNorm1d bare{nullptr};
};

TEST(Freeze, HoldsTheStatisticsOfFrozenNorms) {
  Transfer model;  // on the stack, as no shared_ptr
  freeze(model, {"backbone"});
  model.set_mode(Model::Mode::kTrain);
  const auto before = copy_of(model);
  const Tensors outputs = model.run(model.example_inputs());
  model.loss(outputs, {}).backward();
  auto after = copy_of(model);
  for (const auto& item : model.named_buffers()) {
    const bool moved = !torch::equal(before.at(item.key()), after.at(item.key()));
    EXPECT_EQ(!item.key().starts_with("backbone"), moved) << item.key();
  }
  for (const auto& item : model.named_parameters())
    EXPECT_EQ(item.key().starts_with("norm"), item.value().grad().defined()) << item.key();

  unfreeze(model, {"backbone"});
  model.set_mode(Model::Mode::kTrain);
  model.run(model.example_inputs());
  after = copy_of(model);
  EXPECT_FALSE(torch::equal(before.at("backbone.bn1.running_mean"), after.at("backbone.bn1.running_mean")));
}

}  // namespace
}  // namespace base
