#include "base/torch.h"

#include "base/model/mnist_cnn.h"

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/model/dropout.h"
#include "base/model/flatten.h"

namespace base {

MnistCnn::MnistCnn(const Options& options) {
  const std::int64_t height = (options.height - 4) / 2;  // what the convolutions and the pool leave
  const std::int64_t width = (options.width - 4) / 2;
  if (height < 1 || width < 1 || options.channels < 1 || options.classes < 1) {
    throw Error(ErrorKind::kUsage, "the network takes no such pictures",
                format("{} x {} with {} channels, {} classes", options.height, options.width, options.channels,
                       options.classes),
                "give 6 x 6 pixels or more, and at least one channel and one class");
  }
  conv1_ = register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(options.channels, 32, 3)));
  conv2_ = register_module("conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 3)));
  fc1_ = register_module("fc1", torch::nn::Linear(64 * height * width, 128));
  fc2_ = register_module("fc2", torch::nn::Linear(128, options.classes));
}

torch::Tensor MnistCnn::forward(torch::Tensor x) {
  x = conv1_(x).relu_();
  // The tutorials put the ReLU before the pool: the same numbers and gradients, with four times the work.
  x = torch::max_pool2d(conv2_(x), 2).relu_();
  x = fast_dropout(x, 0.25, is_training());
  x = fc1_(flatten_pictures(x)).relu_();
  x = fast_dropout(x, 0.5, is_training());
  return fc2_(x);
}

}  // namespace base
