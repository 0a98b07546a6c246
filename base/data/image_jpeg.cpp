#include "base/torch.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it before itself
#include <type_traits>
#include <vector>

#include <jerror.h>
#include <jpeglib.h>

#include "base/data/image_codec.h"

namespace base::image {
namespace {

/// libjpeg's errors end in error_exit(), which must not return: it jumps back to the guard() that made the call. No C++
/// object lies between the two, only libjpeg's own frames.
struct ErrorManager {
  jpeg_error_mgr libjpeg{};  // the first member, so that a pointer to it is one to this
  std::jmp_buf guard{};
  char message[JMSG_LENGTH_MAX] = {};

  static void exit(j_common_ptr info) {
    auto* self = reinterpret_cast<ErrorManager*>(info->err);  // NOLINT(*-reinterpret-cast)
    self->libjpeg.format_message(info, self->message);
    std::longjmp(self->guard, 1);  // NOLINT(cert-err52-cpp): the only way out of a C library
  }

  /// Warnings are of data that is damaged or missing, where libjpeg would go on with grey. Only these lose no pixel.
  static void warn(j_common_ptr info, int level) {
    if (level >= 0) return;  // only a trace
    const int code = info->err->msg_code;
    if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
        code == JWRN_NOT_SEQUENTIAL)
      return;
    exit(info);
  }
};

std::uint8_t times(int left, int right) {  // of parts of 255, rounded
  const int product = left * right + 128;
  return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

class JpegDecoder final : public Decoder {
 public:
  explicit JpegDecoder(std::string_view bytes) {
    info_.err = jpeg_std_error(&errors_.libjpeg);
    errors_.libjpeg.error_exit = ErrorManager::exit;
    errors_.libjpeg.emit_message = ErrorManager::warn;
    try {
      guard([&] {
        jpeg_create_decompress(&info_);
        jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());  // NOLINT(*-cast)
        jpeg_read_header(&info_, TRUE);
      });
    } catch (const Damage&) {
      jpeg_destroy_decompress(&info_);
      throw;
    }
  }
  ~JpegDecoder() override { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  ImageSize size() const override { return {info_.image_width, info_.image_height}; }

  void read(ImageColours colours, int shrink, const ImageRegion& region, const TakeRow& take) override {
    const bool grey = colours == ImageColours::kGrey;
    const bool cmyk = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
    info_.out_color_space = cmyk ? JCS_CMYK : grey ? JCS_GRAYSCALE : JCS_EXT_RGBX;
    info_.scale_num = static_cast<unsigned>(8 / shrink);
    info_.scale_denom = 8;
    guard([&] { jpeg_start_decompress(&info_); });

    const std::int64_t skipped_columns = crop_columns(region);
    std::vector<std::uint8_t> row(std::size_t{info_.output_width} * static_cast<std::size_t>(info_.output_components));
    JSAMPROW rows[] = {row.data()};
    skip_rows(region.y, rows);
    for (std::int64_t y = 0; y < region.height; ++y) {
      guard([&] { jpeg_read_scanlines(&info_, rows, 1); });
      auto* const first = row.data() + skipped_columns * info_.output_components;
      if (cmyk) from_cmyk(first, region.width, grey);
      take(y, first);
    }
    // What is below the region is never looked at: jpeg_abort and jpeg_destroy do without the rest of the file.
  }

 private:
  /// Makes the calls; where libjpeg gives up, throws its message. setjmp saves a few registers: next to nothing.
  template <typename Calls>
  void guard(Calls calls) {
    static_assert(std::is_trivially_destructible_v<Calls>);
    if (setjmp(errors_.guard) != 0) throw Damage(errors_.message);  // NOLINT(cert-err52-cpp)
    calls();
  }

  /// Has libjpeg decode the columns of the region alone, and a block more on each side: the colours of a pixel are
  /// interpolated from its neighbours', and are to be what they are in the whole picture. Returns how many columns come
  /// before the region.
  std::int64_t crop_columns(const ImageRegion& region) {
    const std::int64_t margin = std::int64_t{info_.max_h_samp_factor} * 8;
    const std::int64_t whole = info_.output_width;
    const std::int64_t wanted_first = std::max<std::int64_t>(region.x - margin, 0);
    auto first = static_cast<JDIMENSION>(wanted_first);
    auto width = static_cast<JDIMENSION>(std::min(region.x + region.width + margin, whole) - wanted_first);
    if (std::int64_t{width} == whole) return region.x;
    // Where colours have a quarter of the columns and half of the rows, libjpeg-turbo shrinks a picture by shrinking
    // them less, and forgets it when it counts the columns to crop: colours on the right would be missing.
    if (info_.max_h_samp_factor > 2 && info_.scale_num < info_.scale_denom) return region.x;
    guard([&] { jpeg_crop_scanline(&info_, &first, &width); });  // moves `first` to where a block begins
    return region.x - first;
  }

  void skip_rows(std::int64_t count, JSAMPROW* rows) {
    while (std::int64_t{info_.output_scanline} < count) {
      const auto left = static_cast<JDIMENSION>(count - info_.output_scanline);
      guard([&] {
        if (jpeg_skip_scanlines(&info_, left) == 0) jpeg_read_scanlines(&info_, rows, 1);
      });
    }
  }

  /// In place, since a pixel of both has four bytes. Adobe's programs, and all that follow them, store the inks
  /// inverted.
  void from_cmyk(std::uint8_t* pixels, std::int64_t count, bool grey) const {
    const int inverted = info_.saw_Adobe_marker != 0 ? 0 : 255;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint8_t* const inks = pixels + 4 * i;
      const int black = inks[3] ^ inverted;
      const std::uint8_t red = times(inks[0] ^ inverted, black);
      const std::uint8_t green = times(inks[1] ^ inverted, black);
      const std::uint8_t blue = times(inks[2] ^ inverted, black);
      if (grey) {
        pixels[i] = static_cast<std::uint8_t>((red * 19595 + green * 38470 + blue * 7471 + 32768) >> 16);
      } else {
        pixels[4 * i] = red;
        pixels[4 * i + 1] = green;
        pixels[4 * i + 2] = blue;
      }
    }
  }

  jpeg_decompress_struct info_{};
  ErrorManager errors_;
};

}  // namespace

bool is_jpeg(std::string_view bytes) {
  return bytes.starts_with("\xff\xd8\xff");
}

std::unique_ptr<Decoder> open_jpeg(std::string_view bytes) {
  return std::make_unique<JpegDecoder>(bytes);
}

}  // namespace base::image
