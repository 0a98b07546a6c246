#include "tests/data/picture_files.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
#include <png.h>

namespace base {

Pixels scenery(int width, int height, int channels) {
  Pixels pixels{width, height, channels,
                std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * channels))};
  std::uint32_t noise = 1;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int channel = 0; channel < channels; ++channel) {
        noise = noise * 1664525 + 1013904223;
        const double wave = std::sin(x * 0.07 * (channel + 1)) + std::cos(y * 0.05 * (3 - channel) + channel);
        pixels.at(x, y, channel) = static_cast<std::uint8_t>(120 + 50 * wave + (noise >> 27));
      }
    }
  }
  return pixels;
}

std::string jpeg_of(const Pixels& pixels, const JpegKind& kind) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(pixels.width);
  info.image_height = static_cast<JDIMENSION>(pixels.height);
  info.input_components = pixels.channels;
  info.in_color_space = pixels.channels == 1 ? JCS_GRAYSCALE : pixels.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, kind.quality, TRUE);
  if (pixels.channels == 3) {
    info.comp_info[0].h_samp_factor = kind.horizontal;
    info.comp_info[0].v_samp_factor = kind.vertical;
  }
  if (kind.progressive) jpeg_simple_progression(&info);
  info.restart_interval = static_cast<unsigned>(kind.restart);
  if (!kind.adobe) info.write_Adobe_marker = FALSE;
  jpeg_start_compress(&info, TRUE);
  const auto stride = static_cast<std::size_t>(pixels.width * pixels.channels);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(pixels.values.data() + info.next_scanline * stride);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return file;
}

std::string png_of(const Pixels& pixels, const PngKind& kind) {
  static constexpr int kTypes[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                   PNG_COLOR_TYPE_RGB_ALPHA};
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp writer, png_bytep bytes, std::size_t size) {
        static_cast<std::string*>(png_get_io_ptr(writer))->append(reinterpret_cast<char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(pixels.width), static_cast<png_uint_32>(pixels.height),
               kind.sixteen_bits ? 16 : 8, kind.palette ? PNG_COLOR_TYPE_PALETTE : kTypes[pixels.channels],
               kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (kind.palette) {
    std::vector<png_color> colours;
    for (int value = 0; value < 256; ++value) colours.push_back({static_cast<png_byte>(value), 7, 9});
    png_set_PLTE(png, info, colours.data(), 256);
  }
  png_write_info(png, info);
  std::vector<std::vector<std::uint8_t>> rows;
  std::vector<png_bytep> pointers;
  const int stride = pixels.width * pixels.channels;
  for (int y = 0; y < pixels.height; ++y) {
    auto& row = rows.emplace_back();
    for (int i = 0; i < stride; ++i) {
      row.push_back(pixels.values[static_cast<std::size_t>(y * stride + i)]);
      if (kind.sixteen_bits) row.push_back(row.back());  // 0xabab is 0xab of 255
    }
  }
  for (auto& row : rows) pointers.push_back(row.data());
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

}  // namespace base
