// image_codec.h: what image.cpp asks of the two formats.
#ifndef BASE_DATA_IMAGE_CODEC_H_
#define BASE_DATA_IMAGE_CODEC_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/data/image.h"

namespace base::image {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;  // a small file can promise a picture that fills the memory

/// Why the picture does not decode, in the words of libjpeg or libpng.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Gets the rows of a region from top to bottom. A pixel is one byte of grey, or four: red, green, blue and one of no
/// meaning, which processors take apart much faster than three. The row may be changed, and is gone after the call.
using TakeRow = std::function<void(std::int64_t row, std::uint8_t* pixels)>;

/// One picture being decoded: first size(), then read() once. Both throw Damage.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// As it is stored.
  virtual ImageSize size() const = 0;
  /// `region` lies in the picture shrunk `shrink` times.
  virtual void read(ImageColours colours, int shrink, const ImageRegion& region, const TakeRow& take) = 0;
};

bool is_jpeg(std::string_view bytes);
bool is_png(std::string_view bytes);
/// The bytes must outlive the decoder.
std::unique_ptr<Decoder> open_jpeg(std::string_view bytes);
std::unique_ptr<Decoder> open_png(std::string_view bytes);

}  // namespace base::image

#endif  // BASE_DATA_IMAGE_CODEC_H_
