// image_writer.h: pictures as files.
#ifndef BASE_DATA_IMAGE_WRITER_H_
#define BASE_DATA_IMAGE_WRITER_H_

#include <string>

#include "base/torch.h"

namespace base {

/// The bytes of a PNG file. `image` is uint8 [1 or 3, height, width]; another is a data Error.
std::string encode_png(const torch::Tensor& image);

}  // namespace base

#endif  // BASE_DATA_IMAGE_WRITER_H_
