#include "base/torch.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <png.h>

#include "base/data/image_codec.h"

namespace base::image {
namespace {

/// Errors of libpng jump back to the guard() that made the call, as those of libjpeg do in image_jpeg.cpp.
class PngDecoder final : public Decoder {
 public:
  explicit PngDecoder(std::string_view bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    try {
      guard([this] {
        png_set_read_fn(png_, this, give);
        png_set_user_limits(png_, kMostPixels, kMostPixels);  // the product is for the caller to check
        png_read_info(png_, info_);
      });
    } catch (const Damage&) {
      png_destroy_read_struct(&png_, &info_, nullptr);
      throw;
    }
  }
  ~PngDecoder() override { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  ImageSize size() const override { return {png_get_image_width(png_, info_), png_get_image_height(png_, info_)}; }

  void read(ImageColours colours, int shrink, const ImageRegion& region, const TakeRow& take) override {
    guard([&] { convert_to(colours); });
    const ImageSize whole = size();
    const std::size_t pixel = colours == ImageColours::kGrey ? 1 : 4;
    const std::size_t row_bytes = static_cast<std::size_t>(whole.width) * pixel;
    const std::int64_t first = region.y * shrink;
    if (png_get_interlace_type(png_, info_) == PNG_INTERLACE_NONE) {
      std::vector<std::uint8_t> row(row_bytes);
      const auto next = [&] {
        guard([&] { png_read_row(png_, row.data(), nullptr); });
        return row.data();
      };
      for (std::int64_t y = 0; y < first; ++y) next();
      pass_on(pixel, shrink, region, take, next);
      // The checksum of the last rows comes after them.
      if ((region.y + region.height) * shrink >= whole.height) guard([&] { png_read_end(png_, nullptr); });
      return;
    }
    // Each row comes in several passes: only the whole picture has them whole.
    std::vector<std::uint8_t> pixels(row_bytes * static_cast<std::size_t>(whole.height));
    std::vector<std::uint8_t*> rows;
    for (auto at = pixels.begin(); at != pixels.end(); at += static_cast<std::ptrdiff_t>(row_bytes))
      rows.push_back(&*at);
    guard([&] {
      png_read_image(png_, rows.data());
      png_read_end(png_, nullptr);
    });
    pass_on(pixel, shrink, region, take, [row = rows.begin() + first]() mutable { return *row++; });
  }

 private:
  template <typename Calls>
  void guard(Calls calls) {
    static_assert(std::is_trivially_destructible_v<Calls>);
    if (setjmp(guard_) != 0) throw Damage(message_);  // NOLINT(cert-err52-cpp)
    calls();
  }

  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngDecoder*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof(self->message_) - 1);
    std::longjmp(self->guard_, 1);  // NOLINT(cert-err52-cpp): the only way out of a C library
  }

  static void ignore(png_structp, png_const_charp) {}  // of notes beside the picture; damage of its own is an error

  static void give(png_structp png, png_bytep to, std::size_t count) {
    auto* self = static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (count > self->rest_.size()) png_error(png, "the file ends too early");
    std::memcpy(to, self->rest_.data(), count);
    self->rest_.remove_prefix(count);
  }

  /// Whatever the file has, rows come as 8-bit grey, or as red, green, blue and a byte of no meaning.
  void convert_to(ImageColours colours) {
    const int type = png_get_color_type(png_, info_);
    png_set_scale_16(png_);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_alpha(png_);
    const bool colourful = (type & PNG_COLOR_MASK_COLOR) != 0;
    if (colours == ImageColours::kGrey) {
      // The same luminance as JPEG's, in 1/100000; the third weight is what is left.
      if (colourful) png_set_rgb_to_gray_fixed(png_, PNG_ERROR_ACTION_NONE, 29900, 58700);
    } else {
      if (!colourful) png_set_gray_to_rgb(png_);
      png_set_filler(png_, 0, PNG_FILLER_AFTER);
    }
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  /// Cuts the region out of the rows that `next` gives, and where it is to shrink, averages squares of pixels.
  template <typename NextRow>
  void pass_on(std::size_t pixel, int shrink, const ImageRegion& region, const TakeRow& take, NextRow next) const {
    if (shrink == 1) {
      for (std::int64_t y = 0; y < region.height; ++y) take(y, next() + static_cast<std::size_t>(region.x) * pixel);
      return;
    }
    const ImageSize whole = size();
    std::vector<std::uint8_t> shrunk(static_cast<std::size_t>(region.width) * pixel);
    std::vector<std::uint32_t> sums(shrunk.size());
    for (std::int64_t y = 0; y < region.height; ++y) {
      std::ranges::fill(sums, 0);
      const std::int64_t rows = std::min<std::int64_t>(shrink, whole.height - (region.y + y) * shrink);
      const auto columns_of = [&](std::int64_t x) {  // squares at the edge are narrower
        return std::min<std::int64_t>(shrink, whole.width - (region.x + x) * shrink);
      };
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::uint8_t* at = next() + static_cast<std::size_t>(region.x * shrink) * pixel;
        for (std::int64_t x = 0; x < region.width; ++x) {
          for (std::int64_t i = 0; i < columns_of(x); ++i)
            for (std::size_t channel = 0; channel < pixel; ++channel)
              sums[static_cast<std::size_t>(x) * pixel + channel] += *at++;
        }
      }
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto count = static_cast<std::uint32_t>(rows * columns_of(static_cast<std::int64_t>(i / pixel)));
        shrunk[i] = static_cast<std::uint8_t>((sums[i] + count / 2) / count);
      }
      take(y, shrunk.data());
    }
  }

  std::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf guard_{};
  char message_[128] = {};
};

}  // namespace

bool is_png(std::string_view bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

std::unique_ptr<Decoder> open_png(std::string_view bytes) {
  return std::make_unique<PngDecoder>(bytes);
}

}  // namespace base::image
