#include "base/torch.h"

#include "base/model/conv_autoencoder.h"

#include <algorithm>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

ConvAutoencoder::ConvAutoencoder(const Options& options) {
  const auto& widths = options.widths;
  const bool sizes = options.channels >= 1 && options.embedding >= 1 && !widths.empty() &&
                     std::ranges::all_of(widths, [](std::int64_t width) { return width >= 1; });
  if (!sizes || options.kernel < 3 || options.kernel % 2 == 0) {
    throw Error(ErrorKind::kUsage, "the autoencoder takes no such sizes",
                format("{} channels, {} levels, embedding {}, kernel {}", options.channels, widths.size(),
                       options.embedding, options.kernel),
                "give 1 or more channels everywhere, one level or more, and a kernel of 3, 5, 7 or another odd number");
  }
  const std::int64_t padding = options.kernel / 2;
  torch::nn::ModuleList encoder;
  torch::nn::ModuleList decoder;
  std::int64_t before = options.channels;
  for (const std::int64_t width : widths) {
    encoder_.emplace_back(torch::nn::Conv1dOptions(before, width, options.kernel).stride(2).padding(padding));
    encoder->push_back(encoder_.back());
    before = width;
  }
  for (std::size_t level = widths.size(); level-- > 0;) {
    const std::int64_t after = level == 0 ? options.channels : widths[level - 1];
    decoder_.emplace_back(torch::nn::ConvTranspose1dOptions(widths[level], after, options.kernel)
                              .stride(2)
                              .padding(padding)
                              .output_padding(1));  // exactly twice as long
    decoder->push_back(decoder_.back());
  }
  register_module("encoder", encoder);
  squeeze_ = register_module("squeeze", torch::nn::Conv1d(torch::nn::Conv1dOptions(before, options.embedding, 1)));
  spread_ = register_module("spread", torch::nn::Conv1d(torch::nn::Conv1dOptions(options.embedding, before, 1)));
  register_module("decoder", decoder);
}

torch::Tensor ConvAutoencoder::encode(torch::Tensor x) {
  for (auto& layer : encoder_) x = layer(x).relu_();
  return squeeze_(x);
}

torch::Tensor ConvAutoencoder::decode(torch::Tensor z, std::int64_t length) {
  torch::Tensor x = spread_(z).relu_();
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    x = decoder_[i](x);
    if (i + 1 < decoder_.size()) x.relu_();
  }
  return x.narrow(2, 0, length);  // lengths that are no multiple of 2^levels were rounded up
}

torch::Tensor ConvAutoencoder::forward(torch::Tensor x) {
  const std::int64_t length = x.size(2);
  return decode(encode(std::move(x)), length);
}

}  // namespace base
