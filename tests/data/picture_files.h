// picture_files.h: JPEG and PNG files of all kinds, made with the libraries themselves.
#ifndef TESTS_DATA_PICTURE_FILES_H_
#define TESTS_DATA_PICTURE_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace base {

/// Rows of pixels, their channels side by side.
struct Pixels {
  int width = 0;
  int height = 0;
  int channels = 3;
  std::vector<std::uint8_t> values;

  std::uint8_t& at(int x, int y, int channel) {
    return values[static_cast<std::size_t>((y * width + x) * channels + channel)];
  }
};

/// Smooth colours with a little noise on them, as in a photograph.
Pixels scenery(int width, int height, int channels = 3);

struct JpegKind {
  int quality = 90;
  int horizontal = 2;  // by how much colour is coarser than brightness
  int vertical = 2;
  bool progressive = false;
  int restart = 0;    // blocks between markers
  bool adobe = true;  // CMYK pictures say that Adobe's programs made them
};
std::string jpeg_of(const Pixels& pixels, const JpegKind& kind = {});

struct PngKind {
  bool interlaced = false;
  bool sixteen_bits = false;
  bool palette = false;  // of the grey values of the first channel, as red
};
/// 1 channel: grey; 2: and transparency; 3: colours; 4: and transparency.
std::string png_of(const Pixels& pixels, const PngKind& kind = {});

}  // namespace base

#endif  // TESTS_DATA_PICTURE_FILES_H_
