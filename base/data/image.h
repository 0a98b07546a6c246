// image.h: pictures out of the bytes of a JPEG or PNG file. All functions may be called by many threads at once.
#ifndef BASE_DATA_IMAGE_H_
#define BASE_DATA_IMAGE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/torch.h"

namespace base {

struct ImageSize {
  std::int64_t width = 0;
  std::int64_t height = 0;

  bool operator==(const ImageSize&) const = default;
};

/// A part of a picture, counted from its upper left corner.
struct ImageRegion {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Every picture is brought to the colours asked for: grey ones become red, green and blue of the same value, colours
/// become luminance; palettes, CMYK and 16 bits are converted, and transparency is left out.
enum class ImageColours { kGrey = 1, kRgb = 3 };

struct ImageOptions {
  ImageColours colours = ImageColours::kRgb;
  int shrink = 1;                          // 2, 4 or 8: so many times smaller, rounded up; JPEG is the faster for it
  std::optional<ImageRegion> region = {};  // of the picture (shrunk, if it is): the very pixels a crop of all of it
                                           // has, but what lies outside is not decoded as far as that can be helped
  bool mirror = false;                     // left to right
  std::string name = {};                   // of the file, for messages
};

/// From the header alone.
ImageSize image_size(std::string_view bytes, const std::string& name = {});

/// uint8 [1 or 3, height, width]. Bytes that are no picture, or one that is damaged, cut short or larger than 2^28
/// pixels are a data Error; so is a region that does not lie in the picture.
torch::Tensor decode_image(std::string_view bytes, const ImageOptions& options = {});

/// What a channel's values, from 0 to 1, are changed to: (value - mean) / deviation.
struct Normalisation {
  std::array<double, 3> mean = {0, 0, 0};
  std::array<double, 3> deviation = {1, 1, 1};
};

/// Float [1 or 3, height, width], from 0 to 1 and then normalised: decoded and converted row by row, in one go.
torch::Tensor decode_image_float(std::string_view bytes, const ImageOptions& options = {},
                                 const Normalisation& normalisation = {});
/// Into a tensor that is there, contiguous floats of the right shape: the row of a batch, say.
void decode_image_into(const torch::Tensor& to, std::string_view bytes, const ImageOptions& options = {},
                       const Normalisation& normalisation = {});

}  // namespace base

#endif  // BASE_DATA_IMAGE_H_
