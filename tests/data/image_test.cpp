#include "base/torch.h"

#include "base/data/image.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "tests/data/picture_files.h"
#include "tests/data/reader_support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

torch::Tensor tensor_of(const Pixels& pixels) {
  return torch::from_blob(const_cast<std::uint8_t*>(pixels.values.data()),
                          {pixels.height, pixels.width, pixels.channels}, torch::kUInt8)
      .permute({2, 0, 1})
      .contiguous();
}

torch::Tensor cropped(const torch::Tensor& image, const ImageRegion& region) {
  return image.narrow(1, region.y, region.height).narrow(2, region.x, region.width).contiguous();
}

double distance(const torch::Tensor& left, const torch::Tensor& right) {
  return (left.to(torch::kFloat) - right.to(torch::kFloat)).abs().mean().item<double>();
}

TEST(Image, DecodesAJpegCloseToWhatItWasMadeOf) {
  const Pixels pixels = scenery(61, 43);
  const auto image = decode_image(jpeg_of(pixels, {.quality = 100, .horizontal = 1, .vertical = 1}));
  ASSERT_EQ(image.sizes(), torch::IntArrayRef({3, 43, 61}));
  EXPECT_LT(distance(image, tensor_of(pixels)), 1.0);
}

TEST(Image, DecodesAPngExactly) {
  const Pixels pixels = scenery(31, 17);
  EXPECT_TRUE(same(decode_image(png_of(pixels)), tensor_of(pixels)));
  EXPECT_TRUE(same(decode_image(png_of(pixels, {.interlaced = true})), tensor_of(pixels)));
  EXPECT_TRUE(same(decode_image(png_of(pixels, {.sixteen_bits = true})), tensor_of(pixels)));
  EXPECT_TRUE(same(decode_image(png_of(pixels, {.interlaced = true, .sixteen_bits = true})), tensor_of(pixels)));
}

TEST(Image, KnowsItsSizeFromTheHeader) {
  EXPECT_EQ(image_size(jpeg_of(scenery(61, 43))), (ImageSize{61, 43}));
  EXPECT_EQ(image_size(png_of(scenery(31, 17))), (ImageSize{31, 17}));
  EXPECT_EQ(image_size(jpeg_of(scenery(61, 43)).substr(0, 700)), (ImageSize{61, 43}));
}

TEST(Image, BringsEveryKindOfPngToTheColoursAsked) {
  const Pixels grey = scenery(20, 10, 1);
  const auto values = tensor_of(grey);
  EXPECT_TRUE(same(decode_image(png_of(grey)), values.expand({3, 10, 20}).contiguous()));
  EXPECT_TRUE(same(decode_image(png_of(grey), {.colours = ImageColours::kGrey}), values));

  const Pixels with_alpha = scenery(20, 10, 4);
  EXPECT_TRUE(same(decode_image(png_of(with_alpha)), tensor_of(with_alpha).narrow(0, 0, 3).contiguous()));
  const Pixels grey_alpha = scenery(20, 10, 2);
  EXPECT_TRUE(same(decode_image(png_of(grey_alpha), {.colours = ImageColours::kGrey}),
                   tensor_of(grey_alpha).narrow(0, 0, 1).contiguous()));

  const auto palette = decode_image(png_of(grey, {.palette = true}));
  EXPECT_TRUE(same(palette[0], values[0]));
  EXPECT_TRUE(palette[1].eq(7).all().item<bool>() && palette[2].eq(9).all().item<bool>());

  const Pixels colours = scenery(20, 10);
  const auto weights = torch::tensor({0.299F, 0.587F, 0.114F}).view({3, 1, 1});
  const auto luminance = (tensor_of(colours).to(torch::kFloat) * weights).sum(0, true);
  EXPECT_LT((decode_image(png_of(colours), {.colours = ImageColours::kGrey}).to(torch::kFloat) - luminance)
                .abs()
                .max()
                .item<double>(),
            1.01);
}

TEST(Image, BringsEveryKindOfJpegToTheColoursAsked) {
  const Pixels grey = scenery(40, 30, 1);
  const auto values = decode_image(jpeg_of(grey, {.quality = 100}), {.colours = ImageColours::kGrey});
  EXPECT_LT(distance(values, tensor_of(grey)), 1.0);
  EXPECT_TRUE(same(decode_image(jpeg_of(grey, {.quality = 100})), values.expand({3, 30, 40}).contiguous()));

  const Pixels inks = scenery(40, 30, 4);
  for (const bool adobe : {true, false}) {  // which says whether the inks are stored inverted
    const auto file = jpeg_of(inks, {.quality = 100, .adobe = adobe});
    const auto left = adobe ? tensor_of(inks).to(torch::kFloat) : 255 - tensor_of(inks).to(torch::kFloat);
    const auto light = left.narrow(0, 0, 3) * left.narrow(0, 3, 1) / 255;
    EXPECT_LT(distance(decode_image(file), light), 2.0);
    const auto weights = torch::tensor({0.299F, 0.587F, 0.114F}).view({3, 1, 1});
    EXPECT_LT(distance(decode_image(file, {.colours = ImageColours::kGrey}), (light * weights).sum(0, true)), 2.0);
  }
  const auto colours = jpeg_of(scenery(40, 30), {.quality = 100});
  const auto weights = torch::tensor({0.299F, 0.587F, 0.114F}).view({3, 1, 1});
  EXPECT_LT(distance(decode_image(colours, {.colours = ImageColours::kGrey}),
                     (decode_image(colours).to(torch::kFloat) * weights).sum(0, true)),
            2.0);
}

TEST(Image, ConvertsToFloatsInTheSameGo) {
  for (const auto& file : {jpeg_of(scenery(45, 33)), png_of(scenery(45, 33))}) {
    for (const auto colours : {ImageColours::kRgb, ImageColours::kGrey}) {
      const auto bytes = decode_image(file, {.colours = colours});
      const auto image = decode_image_float(file, {.colours = colours});
      EXPECT_EQ(image.scalar_type(), torch::kFloat);
      EXPECT_TRUE(image.allclose(bytes.to(torch::kFloat).div(255), 1e-6, 1e-7));
    }
    const Normalisation normalisation{.mean = {0.485, 0.456, 0.406}, .deviation = {0.229, 0.224, 0.225}};
    const auto mean = torch::tensor({0.485F, 0.456F, 0.406F}).view({3, 1, 1});
    const auto deviation = torch::tensor({0.229F, 0.224F, 0.225F}).view({3, 1, 1});
    EXPECT_TRUE(decode_image_float(file, {}, normalisation)
                    .allclose((decode_image(file).to(torch::kFloat).div(255) - mean) / deviation, 1e-4, 1e-5));
  }
}

TEST(Image, MirrorsLeftToRight) {
  for (const auto& file : {jpeg_of(scenery(45, 33)), png_of(scenery(44, 33))}) {
    for (const auto colours : {ImageColours::kRgb, ImageColours::kGrey}) {
      EXPECT_TRUE(same(decode_image(file, {.colours = colours, .mirror = true}),
                       decode_image(file, {.colours = colours}).flip({2})));
      EXPECT_TRUE(
          same(decode_image_float(file, {.colours = colours, .region = ImageRegion{3, 4, 20, 10}, .mirror = true}),
               decode_image_float(file, {.colours = colours, .region = ImageRegion{3, 4, 20, 10}}).flip({2})));
    }
  }
}

// The point of decoding a region is that nobody can tell: not at its edges, where colours are interpolated, and not for
// any way of storing them.
RC_GTEST_PROP(ImageProperty, ARegionIsTheVeryPixelsOfTheWholePicture, ()) {
  const int width = *rc::gen::inRange(1, 150);
  const int height = *rc::gen::inRange(1, 150);
  const ImageColours colours = *rc::gen::element(ImageColours::kRgb, ImageColours::kGrey);
  const int shrink = *rc::gen::element(1, 1, 2, 4, 8);
  const std::string file = *rc::gen::oneOf(
      rc::gen::map(
          rc::gen::tuple(rc::gen::inRange(20, 101), rc::gen::element(1, 2, 4), rc::gen::element(1, 2),
                         rc::gen::arbitrary<bool>(), rc::gen::inRange(0, 3), rc::gen::element(1, 3, 3, 3, 4)),
          [=](const auto& kind) {
            const auto [quality, horizontal, vertical, progressive, restart, channels] = kind;
            return jpeg_of(scenery(width, height, channels), {quality, horizontal, vertical, progressive, restart});
          }),
      rc::gen::map(rc::gen::tuple(rc::gen::inRange(1, 5), rc::gen::arbitrary<bool>(), rc::gen::arbitrary<bool>()),
                   [=](const auto& kind) {
                     const auto [channels, interlaced, sixteen] = kind;
                     return png_of(scenery(width, height, channels), {interlaced, sixteen});
                   }));
  const auto whole = decode_image(file, {.colours = colours, .shrink = shrink});
  RC_ASSERT(whole.size(1) == (height + shrink - 1) / shrink);
  RC_ASSERT(whole.size(2) == (width + shrink - 1) / shrink);
  for (int repeat = 0; repeat < 4; ++repeat) {
    ImageRegion region;
    region.width = *rc::gen::inRange<std::int64_t>(1, whole.size(2) + 1);
    region.height = *rc::gen::inRange<std::int64_t>(1, whole.size(1) + 1);
    region.x = *rc::gen::inRange<std::int64_t>(0, whole.size(2) - region.width + 1);
    region.y = *rc::gen::inRange<std::int64_t>(0, whole.size(1) - region.height + 1);
    RC_ASSERT(
        decode_image(file, {.colours = colours, .shrink = shrink, .region = region}).equal(cropped(whole, region)));
  }
}

TEST(Image, ARegionOfAShrunkPictureWithFewColoursIsWhatItIsInTheWhole) {
  const auto file = jpeg_of(scenery(600, 20), {.quality = 90, .horizontal = 4, .vertical = 2});
  for (const int shrink : {1, 2, 4, 8}) {
    const auto whole = decode_image(file, {.shrink = shrink});
    for (std::int64_t x = 0; x + 10 <= whole.size(2); x += 7) {
      const ImageRegion region{x, 0, 10, whole.size(1)};
      ASSERT_TRUE(decode_image(file, {.shrink = shrink, .region = region}).equal(cropped(whole, region)))
          << "column " << x << " of a picture shrunk " << shrink << " times";
    }
  }
}

TEST(Image, ShrinksToSomethingLikeTheAverage) {
  const Pixels pixels = scenery(160, 96);
  const auto average = torch::nn::functional::avg_pool2d(tensor_of(pixels).to(torch::kFloat).unsqueeze(0),
                                                         torch::nn::functional::AvgPool2dFuncOptions(4))[0];
  EXPECT_LT(distance(decode_image(png_of(pixels), {.shrink = 4}), average), 0.51);
  EXPECT_LT(
      distance(decode_image(jpeg_of(pixels, {.quality = 100, .horizontal = 1, .vertical = 1}), {.shrink = 4}), average),
      3.0);
  EXPECT_THROW(decode_image(png_of(pixels), {.shrink = 3}), Error);
}

TEST(Image, RefusesARegionOutsideThePicture) {
  const auto file = jpeg_of(scenery(61, 43));
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const ImageRegion& region : std::vector<ImageRegion>{{50, 0, 12, 10},
                                                            {0, 40, 10, 4},
                                                            {-1, 0, 10, 10},
                                                            {0, -1, 10, 10},
                                                            {0, 0, 0, 10},
                                                            {0, 0, 10, 0},
                                                            {0, 0, 62, 43},
                                                            {kHuge, kHuge, kHuge, kHuge},
                                                            {1, 1, kHuge, kHuge}}) {
    EXPECT_THAT(data_error([&] { decode_image(file, {.region = region, .name = "a.jpg"}); }),
                AllOf(HasSubstr("does not lie in the picture: a.jpg (61 x 43)"), HasSubstr("fix: ")));
  }
}

TEST(Image, DecodesIntoARowOfABatchOfTheRightSizeOnly) {
  const auto file = jpeg_of(scenery(61, 43));
  const auto batch = torch::zeros({2, 3, 43, 61});
  decode_image_into(batch[1], file);
  EXPECT_TRUE(same(batch[1], decode_image_float(file)));
  EXPECT_EQ(batch[0].abs().sum().item<double>(), 0);
  EXPECT_THAT(data_error([&] {
                decode_image_into(torch::zeros({3, 43, 60}), file, {.name = "a.jpg"});
              }),
              HasSubstr("its place another size: a.jpg (float32 [3, 43, 60])"));
  EXPECT_THAT(data_error([&] {
                decode_image_into(torch::zeros({3, 61, 43}).transpose(1, 2), file);
              }),
              HasSubstr("another size"));
}

TEST(Image, RefusesAJpegThatIsCutShortWithLibjpegsWords) {
  const auto file = jpeg_of(scenery(200, 150));
  const auto message = data_error([&] { decode_image(file.substr(0, file.size() / 2), {.name = "cat/12.jpg"}); });
  EXPECT_THAT(message, AllOf(HasSubstr("data error: the picture does not decode: cat/12.jpg ("),
                             HasSubstr("Premature end of JPEG file"), HasSubstr("fix: the file is damaged")));
  EXPECT_THAT(data_error([&] { decode_image_float(file.substr(0, 100)); }), HasSubstr("a picture of 100 bytes ("));
}

TEST(Image, RefusesAPngThatIsCutShortOrDamaged) {
  const auto file = png_of(scenery(200, 150));
  EXPECT_THAT(data_error([&] { decode_image(file.substr(0, file.size() / 2), {.name = "a.png"}); }),
              HasSubstr("the picture does not decode: a.png (the file ends too early)"));
  EXPECT_THAT(data_error([&] { decode_image(file.substr(0, file.size() - 8)); }), HasSubstr("ends too early"));
  auto checksum = file;
  checksum[file.size() - 13] = static_cast<char>(checksum[file.size() - 13] ^ 1);  // of the last rows
  EXPECT_THAT(data_error([&] { decode_image(checksum); }), HasSubstr("CRC error"));
  auto damaged = file;
  damaged[file.size() / 2] = static_cast<char>(damaged[file.size() / 2] ^ 0x55);
  EXPECT_THAT(data_error([&] { decode_image(damaged); }), HasSubstr("the picture does not decode"));
}

TEST(Image, RefusesWhatIsNoPicture) {
  EXPECT_THAT(data_error([] { decode_image("", {.name = "a.jpg"}); }), HasSubstr("the picture's file is empty: a.jpg"));
  EXPECT_THAT(data_error([] { image_size("GIF89a and more", "a.gif"); }),
              AllOf(HasSubstr("the picture is neither JPEG nor PNG: a.gif"), HasSubstr("fix: convert it")));
  EXPECT_THAT(data_error([] { decode_image("\xff\xd8\xff"); }), HasSubstr("the picture does not decode"));
}

TEST(Image, RefusesAPictureThatWouldFillTheMemory) {
  auto png = png_of(scenery(4, 4));
  png.replace(16, 8, std::string("\x00\x00\x80\x00\x00\x00\x80\x00", 8));  // 32768 x 32768
  EXPECT_THAT(data_error([&] { decode_image(png); }),
              HasSubstr("the picture does not decode"));  // its checksum is wrong
  auto jpeg = jpeg_of(scenery(4, 4));
  const auto frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");  // 65500 x 65500
  EXPECT_THAT(data_error([&] { decode_image(jpeg, {.name = "bomb.jpg"}); }),
              HasSubstr("more than 268435456 pixels: bomb.jpg (65500 x 65500)"));
}

RC_GTEST_PROP(ImageProperty, DamagedFilesAreDecodedOrRefused, ()) {
  auto file = *rc::gen::element(jpeg_of(scenery(50, 40)), jpeg_of(scenery(50, 40), {.progressive = true}),
                                png_of(scenery(50, 40)), png_of(scenery(50, 40), {.interlaced = true}),
                                jpeg_of(scenery(50, 40, 4)), png_of(scenery(50, 40, 1), {.palette = true}));
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, file.size()), rc::gen::arbitrary<char>()));
  for (const auto& [place, value] : changes) file[place] = value;
  file.resize(*rc::gen::inRange<std::size_t>(0, file.size() + 1));
  try {
    decode_image_float(file, {.region = ImageRegion{10, 10, 20, 20}});
    decode_image(file);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::kData);
  }
}

TEST(Image, DecodesInManyThreadsAtOnce) {
  const auto good = jpeg_of(scenery(100, 80));
  const auto bad = good.substr(0, good.size() / 2);
  const auto expected = decode_image(good);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        right += decode_image(good).equal(expected) ? 1 : 0;
        try {
          decode_image(bad);
        } catch (const Error&) {
          ++right;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 4 * 20 * 2);
}

}  // namespace
}  // namespace base
