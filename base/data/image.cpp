#include "base/torch.h"

#include "base/data/image.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/data/image_codec.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

static_assert(std::endian::native == std::endian::little, "pixels are taken apart as numbers of 32 bits");

using image::Decoder;

std::string shown(const std::string& name, std::string_view bytes) {
  return name.empty() ? format("a picture of {} bytes", bytes.size()) : name;
}

/// Runs what decodes; damage becomes the Error that users see.
template <typename Body>
auto decoding(std::string_view bytes, const std::string& name, Body body) {
  try {
    return body();
  } catch (const image::Damage& damage) {
    throw Error(ErrorKind::kData, "the picture does not decode", format("{} ({})", shown(name, bytes), damage.what()),
                "the file is damaged: fetch it again, or take it out of the data");
  }
}

std::unique_ptr<Decoder> open(std::string_view bytes, const std::string& name) {
  if (!image::is_jpeg(bytes) && !image::is_png(bytes)) {
    throw Error(ErrorKind::kData, bytes.empty() ? "the picture's file is empty" : "the picture is neither JPEG nor PNG",
                shown(name, bytes), bytes.empty() ? "fetch it again" : "convert it to one of these");
  }
  auto decoder = image::is_jpeg(bytes) ? image::open_jpeg(bytes) : image::open_png(bytes);
  const auto [width, height] = decoder->size();
  if (width * height > image::kMostPixels) {  // of 32 bits each: the product fits
    throw Error(ErrorKind::kData, format("the picture has more than {} pixels", image::kMostPixels),
                format("{} ({} x {})", shown(name, bytes), width, height), "make it smaller");
  }
  return decoder;
}

/// A picture of which the header has been read and the region been checked.
struct Opened {
  std::unique_ptr<Decoder> decoder;
  ImageRegion region;
};

Opened open_region(std::string_view bytes, const ImageOptions& options) {
  Opened opened{open(bytes, options.name), {}};
  auto [width, height] = opened.decoder->size();
  const int shrink = options.shrink;
  if (shrink != 1 && shrink != 2 && shrink != 4 && shrink != 8) {
    throw Error(ErrorKind::kConfig, "a picture can be shrunk 1, 2, 4 or 8 times", std::to_string(shrink),
                "take one of these");
  }
  width = (width + shrink - 1) / shrink;
  height = (height + shrink - 1) / shrink;
  opened.region = options.region.value_or(ImageRegion{0, 0, width, height});
  const ImageRegion& region = opened.region;
  const bool inside = region.x >= 0 && region.width > 0 && region.width <= width && region.x <= width - region.width &&
                      region.y >= 0 && region.height > 0 && region.height <= height &&
                      region.y <= height - region.height;
  if (!inside) {
    throw Error(ErrorKind::kData,
                format("a region of {} x {} at {}, {} does not lie in the picture", region.width, region.height,
                       region.x, region.y),
                format("{} ({} x {})", shown(options.name, bytes), width, height),
                "take a smaller one, or larger pictures");
  }
  return opened;
}

std::vector<std::int64_t> shape_of(const ImageRegion& region, ImageColours colours) {
  return {static_cast<std::int64_t>(colours), region.height, region.width};
}

void mirror_row(std::uint8_t* pixels, std::int64_t width, ImageColours colours) {
  if (colours == ImageColours::kGrey) {
    std::reverse(pixels, pixels + width);
    return;
  }
  for (std::uint8_t *left = pixels, *right = pixels + 4 * (width - 1); left < right; left += 4, right -= 4)
    std::swap_ranges(left, left + 4, right);
}

/// A value of the file is multiplied and shifted to one of the tensor: to [0, 1] and normalised at once.
struct Line {
  float factor = 1;
  float shift = 0;
  float operator()(std::uint32_t value) const {
    return static_cast<float>(static_cast<std::int32_t>(value)) * factor + shift;
  }
};

/// As it is.
struct Same {
  std::uint8_t operator()(std::uint32_t value) const { return static_cast<std::uint8_t>(value); }
};

// The loop that all pixels go through. One channel at a time over a row that is in the cache: this is what compilers
// turn into vector instructions, of any processor.
template <int kShift, typename Convert, typename Value>
void unpack_colour(const std::uint8_t* pixels, std::int64_t width, const Convert& convert, Value* __restrict to) {
  for (std::int64_t x = 0; x < width; ++x) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, pixels + 4 * x, 4);
    to[x] = convert((pixel >> kShift) & 255U);
  }
}

/// Decodes into planes of `to`, one for each channel, each with its own conversion.
template <typename Convert, typename Value>
void read_planes(Opened& opened, const ImageOptions& options, const std::array<Convert, 3>& convert, Value* to) {
  const std::int64_t width = opened.region.width;
  const std::int64_t plane = width * opened.region.height;
  opened.decoder->read(options.colours, options.shrink, opened.region, [&](std::int64_t y, std::uint8_t* pixels) {
    if (options.mirror) mirror_row(pixels, width, options.colours);
    Value* const row = to + y * width;
    if (options.colours == ImageColours::kGrey) {
      std::transform(pixels, pixels + width, row, convert[0]);
    } else {
      unpack_colour<0>(pixels, width, convert[0], row);
      unpack_colour<8>(pixels, width, convert[1], row + plane);
      unpack_colour<16>(pixels, width, convert[2], row + 2 * plane);
    }
  });
}

void read_floats(Opened& opened, const ImageOptions& options, const Normalisation& normalisation, float* to) {
  std::array<Line, 3> lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!(normalisation.deviation[i] > 0)) {
      throw Error(ErrorKind::kConfig, "a deviation must be more than 0", format("{}", normalisation.deviation[i]),
                  "correct the normalisation");
    }
    lines[i] = {static_cast<float>(1 / (255 * normalisation.deviation[i])),
                static_cast<float>(-normalisation.mean[i] / normalisation.deviation[i])};
  }
  read_planes(opened, options, lines, to);
}

}  // namespace

ImageSize image_size(std::string_view bytes, const std::string& name) {
  return decoding(bytes, name, [&] { return open(bytes, name)->size(); });
}

torch::Tensor decode_image(std::string_view bytes, const ImageOptions& options) {
  return decoding(bytes, options.name, [&] {
    Opened opened = open_region(bytes, options);
    auto picture = torch::empty(shape_of(opened.region, options.colours), torch::kUInt8);
    read_planes(opened, options, std::array<Same, 3>{}, picture.data_ptr<std::uint8_t>());
    return picture;
  });
}

torch::Tensor decode_image_float(std::string_view bytes, const ImageOptions& options,
                                 const Normalisation& normalisation) {
  return decoding(bytes, options.name, [&] {
    Opened opened = open_region(bytes, options);
    auto picture = torch::empty(shape_of(opened.region, options.colours), torch::kFloat);
    read_floats(opened, options, normalisation, picture.data_ptr<float>());
    return picture;
  });
}

void decode_image_into(const torch::Tensor& to, std::string_view bytes, const ImageOptions& options,
                       const Normalisation& normalisation) {
  decoding(bytes, options.name, [&] {
    Opened opened = open_region(bytes, options);
    const std::vector<std::int64_t> shape = shape_of(opened.region, options.colours);
    if (to.sizes() != shape || to.scalar_type() != torch::kFloat || !to.is_contiguous()) {
      throw Error(ErrorKind::kData, format("the picture is {} x {} and its place another size", shape[1], shape[2]),
                  format("{} ({})", shown(options.name, bytes), describe(to)), "crop all pictures to one size");
    }
    read_floats(opened, options, normalisation, to.data_ptr<float>());
  });
}

}  // namespace base
