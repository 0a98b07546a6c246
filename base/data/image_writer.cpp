#include "base/torch.h"

#include "base/data/image_writer.h"

#include <png.h>

#include "base/log/error.h"
#include "base/tensor/tensors.h"

namespace base {

std::string encode_png(const torch::Tensor& image) {
  if (!image.defined() || image.dim() != 3 || image.scalar_type() != torch::kUInt8 || image.numel() == 0 ||
      (image.size(0) != 1 && image.size(0) != 3)) {
    throw Error(ErrorKind::kData, "this is no picture", describe(image), "give uint8 [1 or 3, height, width]");
  }
  const torch::Tensor pixels = image.cpu().permute({1, 2, 0}).contiguous();
  png_image picture{};
  picture.version = PNG_IMAGE_VERSION;
  picture.height = static_cast<png_uint_32>(image.size(1));
  picture.width = static_cast<png_uint_32>(image.size(2));
  picture.format = image.size(0) == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(picture);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&picture, bytes.data(), &size, 0, pixels.const_data_ptr(), 0, nullptr) == 0)
    throw Error(ErrorKind::kData, "a picture cannot be encoded", picture.message, "give a smaller one");
  bytes.resize(size);
  return bytes;
}

}  // namespace base
