#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tensor/state.h"
#include "base/tensor/tensor_view.h"
#include "base/tensor/tensors.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

using testing::HasSubstr;

TEST(Tensors, KeepsTheOrderInWhichTheyWereGiven) {
  Tensors tensors{{"image", torch::zeros({2, 3})}, {"label", torch::ones({2})}};
  tensors.set("a", torch::zeros({1}));
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("image", "label", "a"));
  EXPECT_EQ(3u, tensors.size());
}

TEST(Tensors, SetReplacesATensorInItsPlace) {
  Tensors tensors{{"image", torch::zeros({2})}, {"label", torch::ones({2})}};
  tensors.set("image", torch::full({2}, 7.0));
  EXPECT_EQ(2u, tensors.size());
  EXPECT_EQ("image", tensors.begin()->first);
  EXPECT_EQ(7, tensors["image"][1].item<double>());
  tensors["label"] = torch::zeros({5});
  EXPECT_EQ(5, tensors["label"].numel());
}

TEST(Tensors, NamesTheNearestForOneThatIsNotThere) {
  const Tensors tensors{{"image", torch::zeros({2})}, {"label", torch::ones({2})}};
  const std::string message = message_of(ErrorKind::kUsage, [&] { tensors["lable"]; });
  EXPECT_THAT(message, HasSubstr("lable"));
  EXPECT_THAT(message, HasSubstr("did you mean label?"));
  EXPECT_THAT(message, HasSubstr("image, label"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { tensors["zzzzzzzz"]; }), HasSubstr("there are: image, label"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { std::as_const(*std::make_unique<Tensors>())["x"]; }),
              HasSubstr("none at all"));
  EXPECT_EQ(nullptr, tensors.find("lable"));
  EXPECT_EQ(&tensors["label"], tensors.find("label"));
}

TEST(Tensors, SharesWhatIsOnTheDeviceAlready) {
  const Tensors tensors{{"image", torch::zeros({2})}};
  const Tensors moved = tensors.to(torch::kCPU);
  EXPECT_TRUE(moved["image"].is_same(tensors["image"]));
}

TEST(Tensors, AreDescribedWithTypeAndShape) {
  EXPECT_EQ("image float32 [2, 3], label int64 []",
            describe(Tensors{{"image", torch::zeros({2, 3})}, {"label", torch::tensor(4)}}));
  EXPECT_EQ("uint8 [0]", describe(torch::empty({0}, torch::kUInt8)));
  EXPECT_EQ("bfloat16 [1]", describe(torch::empty({1}, torch::kBFloat16)));
  EXPECT_EQ("float64 [1]", describe(torch::empty({1}, torch::kDouble)));
  EXPECT_EQ("bool [1]", describe(torch::empty({1}, torch::kBool)));
  EXPECT_EQ("undefined", describe(torch::Tensor()));
  EXPECT_EQ("", describe(Tensors{}));
}

TEST(State, GivesBackWhatWasSet) {
  State state;
  state.set("step", 7);
  state.set("large", std::int64_t{1} << 60);
  state.set("done", true);
  state.set("rate", 0.1F);
  state.set("best", 0.1);
  state.set("name", "cosine");
  const torch::Tensor tensor = torch::rand({3});
  state.set("momentum", tensor);
  EXPECT_EQ(7, state.get<std::int64_t>("step"));
  EXPECT_EQ(std::int64_t{1} << 60, state.get<std::int64_t>("large"));
  EXPECT_TRUE(state.get<bool>("done"));
  EXPECT_EQ(static_cast<double>(0.1F), state.get<double>("rate"));
  EXPECT_EQ(0.1, state.get<double>("best"));
  EXPECT_EQ("cosine", state.get<std::string>("name"));
  EXPECT_TRUE(state.get<torch::Tensor>("momentum").is_same(tensor)) << "shared, not copied";
  EXPECT_TRUE(state.has("step"));
  EXPECT_TRUE(state.has("momentum"));
  EXPECT_FALSE(state.has("stop"));
}

TEST(State, NamesAValueThatIsMissingOrOfAnotherType) {
  State state;
  state.set("step", 7);
  state.set("name", "cosine");
  const auto get_double = [&] { state.get<double>("step"); };
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, get_double), HasSubstr("another type: step"));
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, [&] { state.get<std::int64_t>("stop"); }), HasSubstr("stop"));
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, [&] { state.get<torch::Tensor>("step"); }), HasSubstr("tensor: step"));
  EXPECT_THAT(message_of(ErrorKind::kCheckpoint, [&] { state.get<bool>("name"); }), HasSubstr("name"));
}

TEST(State, ASecondSetReplacesTheFirst) {
  State state;
  state.set("x", 1);
  state.set("x", 2.5);
  EXPECT_EQ(2.5, state.get<double>("x"));
  // Also where one is a value and the other a tensor: one name, one thing.
  state.set("x", torch::zeros({1}));
  EXPECT_TRUE(state.values().empty());
  state.set("x", 3);
  EXPECT_TRUE(state.tensors().empty());
  EXPECT_EQ(3, state.get<std::int64_t>("x"));
}

TEST(TensorView, CarriesEveryTypeThereAndBack) {
  for (const auto type :
       {torch::kBool, torch::kUInt8, torch::kInt8, torch::kInt16, torch::kUInt16, torch::kFloat16, torch::kBFloat16,
        torch::kInt32, torch::kUInt32, torch::kFloat32, torch::kFloat64, torch::kInt64, torch::kUInt64}) {
    const torch::Tensor tensor = torch::tensor({{1.0, 0.0, 3.0}, {4.0, 5.0, 6.0}}).to(type);
    const TensorView view = view_of("x", tensor);
    EXPECT_EQ(tensor.nbytes(), view.bytes.size());
    EXPECT_EQ(size_of(view.dtype), tensor.element_size());
    EXPECT_THAT(view.shape, testing::ElementsAre(2, 3));
    const torch::Tensor back = tensor_of(view);
    EXPECT_EQ(type, back.scalar_type());
    EXPECT_FALSE(back.is_alias_of(tensor));
    EXPECT_TRUE(torch::equal(tensor.to(torch::kDouble), back.to(torch::kDouble))) << c10::toString(type);
  }
}

TEST(TensorView, CarriesScalarsAndEmptyTensors) {
  EXPECT_EQ(5, tensor_of(view_of("x", torch::tensor(5))).item<std::int64_t>());
  EXPECT_EQ(0, tensor_of(view_of("x", torch::tensor(5))).dim());
  const torch::Tensor empty = tensor_of(view_of("x", torch::zeros({3, 0, 2})));
  EXPECT_THAT(empty.sizes().vec(), testing::ElementsAre(3, 0, 2));
}

TEST(TensorView, ReadsBytesThatAreNotAligned) {
  const torch::Tensor numbers = torch::rand({4}, torch::kDouble);
  std::vector<std::byte> bytes(numbers.nbytes() + 1);
  std::memcpy(bytes.data() + 1, numbers.const_data_ptr(), numbers.nbytes());
  const TensorView view{.name = "x", .dtype = DType::kF64, .shape = {4}, .bytes = std::span(bytes).subspan(1)};
  EXPECT_TRUE(torch::equal(numbers, tensor_of(view)));
}

TEST(TensorView, RefusesWhatCannotBeViewed) {
  const auto view = [](const torch::Tensor& tensor) { return [tensor] { view_of("weight", tensor); }; };
  EXPECT_THAT(message_of(ErrorKind::kInternal, view(torch::zeros({2, 3}).t())), HasSubstr("weight float32 [3, 2]"));
  EXPECT_THAT(message_of(ErrorKind::kInternal, view(torch::zeros({2}).to_sparse())), HasSubstr("weight"));
  EXPECT_THAT(message_of(ErrorKind::kInternal, view(torch::Tensor())), HasSubstr("undefined"));
  EXPECT_THAT(message_of(ErrorKind::kUsage, view(torch::zeros({2}, torch::kComplexFloat))), HasSubstr("complex"));
}

TEST(TensorView, RefusesBytesThatDoNotFitTheShape) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const std::vector<std::byte> bytes(8);
  const auto refused = [&](const std::vector<std::int64_t>& shape, std::size_t size) {
    const TensorView view{
        .name = "weight", .dtype = DType::kF32, .shape = shape, .bytes = std::span(bytes).first(size)};
    EXPECT_THAT(message_of(ErrorKind::kData, [&] { tensor_of(view); }), HasSubstr("weight"));
  };
  refused({3}, 8);
  refused({-2}, 8);
  refused({kHuge, 4}, 8);
  refused({kHuge / 1024}, 8);
  refused({}, 8);
  refused({2}, 0);
  refused({0}, 8);
  refused({0, kHuge, kHuge}, 0);
  refused({kHuge, kHuge, 0}, 0);
}

}  // namespace
}  // namespace base
