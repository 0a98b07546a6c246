// mnist_cnn.h: the convolutional network of the MNIST tutorials.
#ifndef BASE_MODEL_MNIST_CNN_H_
#define BASE_MODEL_MNIST_CNN_H_

#include <cstdint>

#include "base/torch.h"

namespace base {

/// Two convolutions, a pool, two linear layers: layer by layer and name by name (conv1, conv2, fc1, fc2) the network of
/// PyTorch's examples/mnist, but for the log_softmax at its end, which belongs to the loss here. 1,199,882 parameters
/// with the defaults.
class MnistCnn final : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t channels = 1;
    std::int64_t height = 28;
    std::int64_t width = 28;
    std::int64_t classes = 10;
  };
  MnistCnn() : MnistCnn(Options{}) {}
  explicit MnistCnn(const Options& options);

  /// From pictures [n, channels, height, width] to logits [n, classes].
  torch::Tensor forward(torch::Tensor x);

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Linear fc1_{nullptr};
  torch::nn::Linear fc2_{nullptr};
};

}  // namespace base

#endif  // BASE_MODEL_MNIST_CNN_H_
