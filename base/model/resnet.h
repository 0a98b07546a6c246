// resnet.h: residual networks (He et al., "Deep Residual Learning for Image Recognition"), for ImageNet and for CIFAR.
#ifndef BASE_MODEL_RESNET_H_
#define BASE_MODEL_RESNET_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/torch.h"

namespace base {

class ResidualStage;

/// ResNet-18, 34 and 50 for pictures of about 224 pixels. The names of the layers are those of Python's torchvision
/// (conv1, bn1, layer1.0.conv1, layer2.0.downsample.0, fc), and so are the first weights' distributions: what
/// torchvision trained loads by name (see weights.h), without its head if the classes are others.
class ResNet final : public torch::nn::Module {
 public:
  struct Options {
    int depth = 18;  // 18, 34 or 50
    std::int64_t classes = 1000;
    std::int64_t channels = 3;
    bool zero_init_residual = false;  // each block begins as the identity, which large batches like
  };
  ResNet() : ResNet(Options{}) {}
  explicit ResNet(const Options& options);

  /// From pictures [n, channels, height, width] of any size to logits [n, classes].
  torch::Tensor forward(torch::Tensor x);
  /// What comes before the last layer, [n, 512] or [n, 2048]: an embedding of the pictures.
  torch::Tensor features(torch::Tensor x);

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr};
  std::vector<std::shared_ptr<ResidualStage>> stages_;
  torch::nn::Linear fc_{nullptr};
};

/// ResNet-20, 32 and 56 for pictures of about 32 pixels, as in the paper's section on CIFAR-10: three stages of 16, 32
/// and 64 channels, and shortcuts without parameters (its option A). 269,722, 464,154 and 853,018 parameters. The
/// layers' names are as above.
class CifarResNet final : public torch::nn::Module {
 public:
  struct Options {
    int depth = 20;  // 6 n + 2: 20, 32, 44, 56, 110
    std::int64_t classes = 10;
    std::int64_t channels = 3;
  };
  CifarResNet() : CifarResNet(Options{}) {}
  explicit CifarResNet(const Options& options);

  /// From pictures [n, channels, height, width] of any size to logits [n, classes].
  torch::Tensor forward(torch::Tensor x);
  /// What comes before the last layer, [n, 64].
  torch::Tensor features(torch::Tensor x);

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr};
  std::vector<std::shared_ptr<ResidualStage>> stages_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace base

#endif  // BASE_MODEL_RESNET_H_
