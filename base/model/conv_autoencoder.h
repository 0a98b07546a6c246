// conv_autoencoder.h: a convolutional autoencoder for time series.
#ifndef BASE_MODEL_CONV_AUTOENCODER_H_
#define BASE_MODEL_CONV_AUTOENCODER_H_

#include <cstdint>
#include <vector>

#include "base/torch.h"

namespace base {

/// Squeezes a series of any length through a narrow embedding and makes it again: what it makes badly is unlike what it
/// was trained on. Each level halves the length (rounded up) on the way in and doubles it on the way out.
class ConvAutoencoder final : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t channels = 1;                        // series side by side
    std::vector<std::int64_t> widths = {16, 32, 64};  // channels of each level
    std::int64_t embedding = 8;                       // channels in the middle
    std::int64_t kernel = 5;                          // odd
  };
  ConvAutoencoder() : ConvAutoencoder(Options{}) {}
  explicit ConvAutoencoder(const Options& options);

  /// From [n, channels, length] to the same shape.
  torch::Tensor forward(torch::Tensor x);

  /// From [n, channels, length] to [n, embedding, length / 2^levels, rounded up].
  torch::Tensor encode(torch::Tensor x);
  /// The way back, to a series of this length.
  torch::Tensor decode(torch::Tensor z, std::int64_t length);

 private:
  std::vector<torch::nn::Conv1d> encoder_;
  torch::nn::Conv1d squeeze_{nullptr};
  torch::nn::Conv1d spread_{nullptr};
  std::vector<torch::nn::ConvTranspose1d> decoder_;
};

}  // namespace base

#endif  // BASE_MODEL_CONV_AUTOENCODER_H_
