#include "base/torch.h"

#include "base/data/augment.h"

#include <set>

#include "base/data/tensor_loader.h"
#include "tests/data/reader_support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

torch::Tensor ramp(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return torch::arange(1, 1 + channels * height * width, torch::kFloat).view({channels, height, width});
}

TEST(Augment, DrawsTheSameForTheSameRandom) {
  const Augmenters augmenters{random_crop({.height = 6, .width = 5, .padding = 2}), random_flip(),
                              random_brightness(0.3), random_contrast(0.3)};
  for (std::uint64_t index = 0; index < 20; ++index) {
    Random first(7, 1, index);
    Random second(7, 1, index);
    EXPECT_TRUE(same(apply(augmenters, ramp(3, 8, 8), first), apply(augmenters, ramp(3, 8, 8), second)));
  }
}

TEST(Augment, LeavesThePictureThatItWasGivenAsItWas) {
  const Augmenters augmenters{random_crop({.height = 8, .width = 8, .padding = 2}), random_flip(1),
                              random_brightness(0.5), random_contrast(0.5), normalise({1, 2, 3}, {4, 5, 6})};
  const auto picture = ramp(3, 8, 8);
  for (const Augmenter& augmenter : augmenters) {
    Random random(1);
    augmenter(picture, random);
    EXPECT_TRUE(same(picture, ramp(3, 8, 8)));
  }
}

TEST(RandomCrop, TakesEveryWindowOfThePaddedPicture) {
  const auto picture = ramp(1, 3, 4);
  const auto padded = torch::constant_pad_nd(picture, {2, 2, 2, 2});
  std::set<std::pair<int, int>> seen;
  const Augmenter crop = random_crop({.height = 2, .width = 3, .padding = 2});
  Random random(3);
  for (int draw = 0; draw < 2000; ++draw) {
    const auto window = crop(picture, random);
    bool found = false;
    for (int top = 0; top <= 5; ++top) {
      for (int left = 0; left <= 5; ++left) {
        if (!window.equal(padded.narrow(1, top, 2).narrow(2, left, 3))) continue;
        found = true;
        seen.emplace(top, left);
      }
    }
    ASSERT_TRUE(found) << window;
  }
  EXPECT_EQ(seen.size(), 36);
}

TEST(RandomCrop, WithoutPaddingSharesThePicturesMemory) {
  const auto picture = ramp(3, 9, 9);
  Random random(1);
  EXPECT_TRUE(random_crop({.height = 4, .width = 4})(picture, random).is_alias_of(picture));
}

TEST(RandomCrop, RefusesAPictureThatIsTooSmall) {
  Random random(1);
  const auto message = data_error([&] { random_crop({.height = 8, .width = 4, .padding = 1})(ramp(1, 5, 5), random); });
  EXPECT_THAT(message, HasSubstr("a crop of 8 x 4 does not fit into the picture: 5 x 5, padding 1"));
  EXPECT_THAT(message, HasSubstr("fix: take a smaller crop"));
}

TEST(RandomCrop, FitsExactly) {
  Random random(1);
  EXPECT_TRUE(same(random_crop({.height = 5, .width = 5})(ramp(2, 5, 5), random), ramp(2, 5, 5)));
}

TEST(RandomFlip, MirrorsLeftToRightAsOftenAsAsked) {
  const auto picture = ramp(2, 3, 4);
  Random random(1);
  EXPECT_TRUE(same(random_flip(1)(picture, random), picture.flip({2})));
  EXPECT_TRUE(same(random_flip(0)(picture, random), picture));
  int flips = 0;
  for (int draw = 0; draw < 1000; ++draw) flips += random_flip(0.25)(picture, random).equal(picture) ? 0 : 1;
  EXPECT_NEAR(flips, 250, 60);
}

TEST(RandomBrightness, MultipliesByAFactorInItsRange) {
  Random random(1);
  double lowest = 2;
  double highest = 0;
  for (int draw = 0; draw < 500; ++draw) {
    const auto ratio = random_brightness(0.2)(ramp(1, 2, 2), random).div(ramp(1, 2, 2));
    EXPECT_TRUE(ratio.allclose(ratio[0][0][0].expand({1, 2, 2})));
    lowest = std::min(lowest, ratio.min().item<double>());
    highest = std::max(highest, ratio.max().item<double>());
  }
  EXPECT_NEAR(lowest, 0.8, 0.01);
  EXPECT_NEAR(highest, 1.2, 0.01);
}

TEST(RandomContrast, KeepsTheMeanAndScalesTheDistanceToIt) {
  Random random(1);
  const auto picture = ramp(3, 4, 4);
  std::set<bool> stronger;
  for (int draw = 0; draw < 50; ++draw) {
    const auto changed = random_contrast(0.5)(picture, random);
    EXPECT_NEAR(changed.mean().item<double>(), picture.mean().item<double>(), 1e-4);
    const double factor = (changed.std() / picture.std()).item<double>();
    EXPECT_GE(factor, 0.499);
    EXPECT_LE(factor, 1.501);
    EXPECT_TRUE(changed.allclose((picture - picture.mean()) * factor + picture.mean(), 1e-4, 1e-4));
    stronger.insert(factor > 1);
  }
  EXPECT_EQ(stronger.size(), 2);
}

TEST(Augment, ChangesTheColoursOfBytesAsThoseOfFloats) {
  const auto bytes = torch::arange(0, 256, torch::kUInt8).view({1, 16, 16});
  for (const auto& augmenter : {random_brightness(0.5), random_contrast(0.5)}) {
    Random random(3), again(3);
    for (int draw = 0; draw < 20; ++draw) {
      const auto expected = augmenter(bytes.to(torch::kFloat), again).round().clamp(0, 255).to(torch::kUInt8);
      EXPECT_TRUE(same(augmenter(bytes, random), expected));
    }
  }
}

TEST(Normalise, WorksByChannel) {
  Random random(1);
  const auto picture = torch::stack({torch::full({2, 2}, 3.F), torch::full({2, 2}, 8.F)});
  const auto expected = torch::stack({torch::full({2, 2}, 1.F), torch::full({2, 2}, -0.5F)});
  EXPECT_TRUE(same(normalise({1, 10}, {2, 4})(picture, random), expected));
  EXPECT_THAT(data_error([&] {
                normalise({1, 2, 3}, {1, 1, 1})(picture, random);
              }),
              HasSubstr("normalise() has 3 channels and the picture another number: float32 [2, 2, 2]"));
}

TEST(Augment, RefusesWhatIsNoPictureOfFloats) {
  Random random(1);
  EXPECT_THAT(data_error([&] {
                random_flip()(torch::zeros({4, 4}), random);
              }),
              HasSubstr("takes a picture [channels, height, width]: float32 [4, 4]"));
  for (const auto& augmenter : {random_brightness(0.1), random_contrast(0.1), normalise({0}, {1})}) {
    EXPECT_THAT(data_error([&] {
                  augmenter(torch::zeros({1, 4, 4}, torch::kLong), random);
                }),
                HasSubstr("takes a picture of floats"));
  }
  EXPECT_THAT(data_error([&] {
                normalise({0}, {1})(torch::zeros({1, 4, 4}, torch::kUInt8), random);
              }),
              AllOf(HasSubstr("takes a picture of floats"), HasSubstr("example_inputs()")));
}

TEST(Augment, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](auto make, const char* value) {
    try {
      make();
      ADD_FAILURE() << value << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kConfig);
      EXPECT_THAT(error.what(), HasSubstr(value));
    }
  };
  refused([] { random_crop({.height = 0, .width = 4}); }, "a crop of 0 x 4");
  refused([] { random_crop({.height = 4, .width = 4, .padding = -1}); }, "padding -1");
  refused([] { random_flip(1.5); }, "probability 1.5");
  refused([] { random_brightness(-0.1); }, "strength -0.1");
  refused([] { random_contrast(2); }, "strength 2");
  refused([] { normalise({0, 0}, {1}); }, "2 means and 1 deviations");
  refused([] { normalise({0}, {0}); }, "deviation 0");
}

TEST(TensorLoader, GathersABatchInTheOrderAsked) {
  const TensorLoader loader({{"image", ramp(5, 2, 2)}, {"label", torch::arange(5)}});
  EXPECT_EQ(loader.size(), 5);
  const std::vector<std::int64_t> indices{4, 0, 4, 2};
  const Batch batch = loader.make_batch(indices, {});
  EXPECT_EQ(batch.indices, indices);
  EXPECT_TRUE(same(batch["label"], torch::tensor({4, 0, 4, 2}, torch::kLong)));
  EXPECT_TRUE(same(batch["image"][3], ramp(5, 2, 2)[2]));
  EXPECT_TRUE(same(loader.parse(3)["image"], ramp(5, 2, 2)[3]));
}

TEST(TensorLoader, AugmentsInTrainingOnlyAndLeavesItsColumnsAlone) {
  const auto images = ramp(6, 2, 2).view({6, 1, 2, 2});
  const TensorLoader loader({{"image", images.clone()}, {"label", torch::arange(6)}}, {random_flip(1)});
  const std::vector<std::int64_t> indices{1, 5};
  const auto rows = torch::tensor({1, 5}, torch::kLong);
  EXPECT_TRUE(same(loader.make_batch(indices, {.augment = false})["image"], images.index_select(0, rows)));
  const Batch training = loader.make_batch(indices, {.augment = true});
  EXPECT_TRUE(same(training["image"], images.index_select(0, rows).flip({3})));
  EXPECT_TRUE(same(training["label"], rows));
  EXPECT_TRUE(same(loader.parse(1)["image"], images[1]));
}

TEST(TensorLoader, DrawsByThePlaceInTheEpochNotInTheBatch) {
  const TensorLoader loader({{"image", torch::ones({8, 1, 4, 4})}}, {random_brightness(0.5)});
  const Draw draw{.seed = 3, .epoch = 2, .first = 10, .augment = true};
  const Draw later{.seed = 3, .epoch = 2, .first = 12, .augment = true};
  const std::vector<std::int64_t> forward{0, 1, 2};
  const std::vector<std::int64_t> alone{2};
  EXPECT_TRUE(same(loader.make_batch(forward, draw)["image"][2], loader.make_batch(alone, later)["image"][0]));
}

TEST(TensorLoader, RefusesColumnsThatDoNotBelongTogether) {
  EXPECT_THAT(data_error([] {
                TensorLoader({{"image", torch::zeros({3, 2})}, {"label", torch::zeros({4})}});
              }),
              HasSubstr("differ in their number of examples: image float32 [3, 2], label float32 [4]"));
  EXPECT_THAT(data_error([] { TensorLoader({{"x", torch::tensor(1.F)}}); }), HasSubstr("x float32 []"));
  EXPECT_THAT(data_error([] { TensorLoader(Tensors{}); }), HasSubstr("without a single tensor"));
  EXPECT_THROW(TensorLoader({{"picture", torch::zeros({3, 2})}}, {random_flip()}), Error);
}

}  // namespace
}  // namespace base
