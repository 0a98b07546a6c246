#include "base/torch.h"

#include "base/summary/picture.h"

#include <cmath>

#include "base/data/image_writer.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

/// [n, channels, height, width] to one picture, rows of them from left to right, with a line between.
torch::Tensor grid_of(const torch::Tensor& pictures) {
  constexpr std::int64_t kLine = 2;
  const std::int64_t count = pictures.size(0);
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const std::int64_t rows = (count + columns - 1) / columns;
  const std::int64_t height = pictures.size(2);
  const std::int64_t width = pictures.size(3);
  torch::Tensor grid = torch::zeros(
      {pictures.size(1), rows * (height + kLine) - kLine, columns * (width + kLine) - kLine}, pictures.options());
  for (std::int64_t i = 0; i < count; ++i) {
    grid.narrow(1, i / columns * (height + kLine), height)
        .narrow(2, i % columns * (width + kLine), width)
        .copy_(pictures[i]);
  }
  return grid;
}

}  // namespace

torch::Tensor picture_of(const torch::Tensor& tensor) {
  const auto channels = tensor.dim() >= 3 ? tensor.size(-3) : 1;
  if (tensor.dim() < 2 || tensor.dim() > 4 || (channels != 1 && channels != 3) || tensor.numel() == 0 ||
      tensor.is_complex()) {
    throw Error(ErrorKind::kUsage, "a tensor of this shape cannot be drawn", describe(tensor),
                "give [height, width], [1 or 3, height, width] or [n, 1 or 3, height, width]");
  }
  const torch::NoGradGuard no_grad;
  torch::Tensor picture = tensor.detach().to(torch::kCPU);
  if (picture.is_floating_point()) {
    picture = picture.to(torch::kFloat).nan_to_num(0).clamp(0, 1).mul(255).round();
  } else if (picture.scalar_type() == torch::kBool) {
    picture = picture.to(torch::kUInt8).mul(255);
  } else {
    picture = picture.clamp(0, 255);
  }
  picture = picture.to(torch::kUInt8);
  if (picture.dim() == 2) return picture.unsqueeze(0).contiguous();
  return (picture.dim() == 4 ? grid_of(picture) : picture).contiguous();
}

EncodedImage encode_picture(const torch::Tensor& picture) {
  return {
      .height = picture.size(1), .width = picture.size(2), .channels = picture.size(0), .bytes = encode_png(picture)};
}

}  // namespace base
