#include "base/artifact/signature.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/tensor/message_of.h"

namespace base {
namespace {

const std::array<float, 64> kNumbers{};

TensorView view(std::string name, std::vector<std::int64_t> shape, DType dtype = DType::kF32) {
  std::size_t bytes = size_of(dtype);
  for (const std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
  return {.name = std::move(name),
          .dtype = dtype,
          .shape = std::move(shape),
          .bytes = std::as_bytes(std::span(kNumbers)).first(bytes)};
}

const Signature kTwo{
    .inputs = {{"image", DType::kF32, {{1, "batch"}, {2}, {2}}}, {"mask", DType::kBool, {{1, "batch"}}}},
    .outputs = {{"scores", DType::kF32, {{1, "batch"}, {3}}}}};

TEST(Signature, DescribesATensorByItsNamesAndSizes) {
  EXPECT_EQ("image F32 [batch, 2, 2]", describe(kTwo.inputs[0]));
  EXPECT_EQ("temperature F64 []", describe(TensorSpec{"temperature", DType::kF64, {}}));
}

TEST(Signature, GivesTheInputsInItsOwnOrder) {
  const std::vector<TensorView> inputs{view("mask", {3}, DType::kBool), view("image", {3, 2, 2})};
  const auto matched = match_inputs(kTwo, inputs);
  ASSERT_EQ(2U, matched.size());
  EXPECT_EQ(&inputs[1], matched[0]);
  EXPECT_EQ(&inputs[0], matched[1]);
}

TEST(Signature, TakesABatchOfAnySizeEvenAnEmptyOne) {
  for (const std::int64_t size : {0, 1, 5})
    EXPECT_NO_THROW(match_inputs(kTwo, std::vector{view("image", {size, 2, 2}), view("mask", {size}, DType::kBool)}));
}

TEST(Signature, NamesAllThatIsWrongAtOnce) {
  const std::vector<TensorView> inputs{view("imag", {3, 2, 2}), view("mask", {3, 1})};
  EXPECT_EQ(
      "usage error: the inputs do not fit the model: image is missing; mask is F32, not BOOL; mask is [3, 1], not "
      "[batch]; "
      "there is no imag (did you mean image?)\n"
      "  fix: it takes image F32 [batch, 2, 2], mask BOOL [batch]",
      message_of(ErrorKind::kUsage, [&] { match_inputs(kTwo, inputs); }));
}

TEST(Signature, RefusesBatchesThatDisagree) {
  const std::vector<TensorView> inputs{view("image", {3, 2, 2}), view("mask", {4}, DType::kBool)};
  EXPECT_EQ(
      "usage error: the inputs do not fit the model: batch is 3 in image and 4 in mask\n"
      "  fix: it takes image F32 [batch, 2, 2], mask BOOL [batch]",
      message_of(ErrorKind::kUsage, [&] { match_inputs(kTwo, inputs); }));
}

TEST(Signature, RefusesAnInputThatIsThereTwiceAndBytesThatDoNotFit) {
  std::vector<TensorView> inputs{view("image", {1, 2, 2}), view("image", {1, 2, 2}), view("mask", {4}, DType::kBool)};
  inputs[2].bytes = inputs[2].bytes.first(3);
  EXPECT_EQ(
      "usage error: the inputs do not fit the model: image is there twice; mask has 3 bytes, which do not fit BOOL "
      "[4]\n"
      "  fix: it takes image F32 [batch, 2, 2], mask BOOL [batch]",
      message_of(ErrorKind::kUsage, [&] { match_inputs(kTwo, inputs); }));
}

TEST(Signature, RefusesSizesThatCannotBe) {
  const Signature signature{.inputs = {{"x", DType::kF32, {{1, "a"}, {1, "b"}}}}, .outputs = {}};
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{-1, -1}, {std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
    TensorView x = view("x", {1, 1});
    x.shape = shape;
    EXPECT_THROW(match_inputs(signature, std::vector{x}), Error);
  }
}

TEST(Signature, KnowsABatchAxis) {
  EXPECT_TRUE(has_batch_axis(kTwo));
  Signature other = kTwo;
  other.outputs[0].axes = {{3}};
  EXPECT_FALSE(has_batch_axis(other));          // one answer for all rows
  other.outputs[0].axes = {{1, "boxes"}, {4}};  // as many as it finds
  EXPECT_FALSE(has_batch_axis(other));
  other.outputs[0].axes = {{1, "batch"}, {1, "batch"}};  // each row against each
  EXPECT_FALSE(has_batch_axis(other));
}

}  // namespace
}  // namespace base
