#include "base/torch.h"

#include "base/model/resnet.h"

#include <string>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// The weights that torchvision begins with. Batch norms begin with 1 and 0 by themselves.
void initialise(torch::nn::Module& network) {
  for (const auto& module : network.modules(/*include_self=*/false))
    if (auto* conv = module->as<torch::nn::Conv2d>())
      torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
}

void check_sizes(std::int64_t classes, std::int64_t channels) {
  if (classes >= 1 && channels >= 1) return;
  throw Error(ErrorKind::kUsage, "the network takes no such sizes",
              format("{} classes, {} channels", classes, channels), "give 1 or more of each");
}

}  // namespace

// With a name, since a class that the header knows is made of them.
namespace resnet {

enum class BlockKind { kBasic, kBottleneck };
// How the sum comes about where a block changes size: by a 1 x 1 convolution, or by leaving out pixels and adding
// channels of zeros.
enum class Shortcut { kProjection, kPadding };

struct BlockOptions {
  BlockKind kind;
  Shortcut shortcut;
  std::int64_t in;     // channels
  std::int64_t width;  // channels inside; a bottleneck gives four times as many
  std::int64_t stride;

  std::int64_t out() const { return kind == BlockKind::kBottleneck ? 4 * width : width; }
};

class ResidualBlock final : public torch::nn::Module {
 public:
  explicit ResidualBlock(const BlockOptions& options) : options_(options) {
    if (options.kind == BlockKind::kBasic) {
      add(1, convolution(options.in, options.width, 3, options.stride));
      add(2, convolution(options.width, options.width, 3, 1));
    } else {
      add(1, convolution(options.in, options.width, 1, 1));
      add(2, convolution(options.width, options.width, 3, options.stride));  // here, not in the first: "ResNet v1.5"
      add(3, convolution(options.width, options.out(), 1, 1));
    }
    if (options.shortcut == Shortcut::kProjection && (options.stride != 1 || options.in != options.out())) {
      downsample_ =
          register_module("downsample", torch::nn::Sequential(convolution(options.in, options.out(), 1, options.stride),
                                                              torch::nn::BatchNorm2d(options.out())));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor y = x;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      y = norms_[i](convolutions_[i](y));
      if (i + 1 < convolutions_.size()) y.relu_();
    }
    y += shortcut(x);
    return y.relu_();
  }

  void begin_as_identity() { torch::nn::init::zeros_(norms_.back()->weight); }

 private:
  void add(int number, const torch::nn::Conv2d& layer) {
    convolutions_.push_back(register_module(format("conv{}", number), layer));
    norms_.push_back(register_module(format("bn{}", number), torch::nn::BatchNorm2d(layer->options.out_channels())));
  }

  torch::Tensor shortcut(const torch::Tensor& x) {
    if (!downsample_.is_empty()) return downsample_->forward(x);
    if (options_.stride == 1 && options_.in == options_.out()) return x;
    const torch::Tensor kept = x.slice(2, 0, x.size(2), options_.stride).slice(3, 0, x.size(3), options_.stride);
    const std::int64_t added = options_.out() - options_.in;
    return torch::constant_pad_nd(kept, {0, 0, 0, 0, added / 2, added - added / 2});
  }

  BlockOptions options_;
  std::vector<torch::nn::Conv2d> convolutions_;
  std::vector<torch::nn::BatchNorm2d> norms_;
  torch::nn::Sequential downsample_{nullptr};
};

}  // namespace resnet

using namespace resnet;

/// Blocks one after the other, of which the first may change the size. Registered as 0, 1, 2 and so on.
class ResidualStage final : public torch::nn::Module {
 public:
  ResidualStage(BlockOptions options, int blocks) {
    for (int i = 0; i < blocks; ++i) {
      blocks_.push_back(register_module(std::to_string(i), std::make_shared<ResidualBlock>(options)));
      options.in = options.out();
      options.stride = 1;
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    for (const auto& block : blocks_) x = block->forward(x);
    return x;
  }

  void begin_as_identity() {
    for (const auto& block : blocks_) block->begin_as_identity();
  }

 private:
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
};

ResNet::ResNet(const Options& options) {
  std::vector<int> blocks;
  if (options.depth == 18) blocks = {2, 2, 2, 2};
  if (options.depth == 34 || options.depth == 50) blocks = {3, 4, 6, 3};
  if (blocks.empty()) {
    throw Error(ErrorKind::kUsage, "there is no ResNet of this depth", format("{}", options.depth),
                "give 18, 34 or 50; CifarResNet has 20, 32 and 56");
  }
  check_sizes(options.classes, options.channels);

  conv1_ = register_module("conv1", convolution(options.channels, 64, 7, 2));
  bn1_ = register_module("bn1", torch::nn::BatchNorm2d(64));
  BlockOptions block{.kind = options.depth == 50 ? BlockKind::kBottleneck : BlockKind::kBasic,
                     .shortcut = Shortcut::kProjection,
                     .in = 64,
                     .width = 64,
                     .stride = 1};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    stages_.push_back(register_module(format("layer{}", i + 1), std::make_shared<ResidualStage>(block, blocks[i])));
    block.in = block.out();
    block.width *= 2;
    block.stride = 2;
  }
  fc_ = register_module("fc", torch::nn::Linear(block.in, options.classes));
  initialise(*this);
  if (options.zero_init_residual)
    for (const auto& stage : stages_) stage->begin_as_identity();
}

torch::Tensor ResNet::features(torch::Tensor x) {
  x = bn1_(conv1_(x)).relu_();
  x = torch::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
  for (const auto& stage : stages_) x = stage->forward(x);
  return torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
}

torch::Tensor ResNet::forward(torch::Tensor x) {
  return fc_(features(std::move(x)));
}

CifarResNet::CifarResNet(const Options& options) {
  const int blocks = (options.depth - 2) / 6;
  if (blocks < 1 || 6 * blocks + 2 != options.depth) {
    throw Error(ErrorKind::kUsage, "there is no ResNet for CIFAR of this depth", format("{}", options.depth),
                "give 20, 32, 56 or another 6 n + 2");
  }
  check_sizes(options.classes, options.channels);

  conv1_ = register_module("conv1", convolution(options.channels, 16, 3, 1));
  bn1_ = register_module("bn1", torch::nn::BatchNorm2d(16));
  BlockOptions block{.kind = BlockKind::kBasic, .shortcut = Shortcut::kPadding, .in = 16, .width = 16, .stride = 1};
  for (int i = 0; i < 3; ++i) {
    stages_.push_back(register_module(format("layer{}", i + 1), std::make_shared<ResidualStage>(block, blocks)));
    block.in = block.out();
    block.width *= 2;
    block.stride = 2;
  }
  fc_ = register_module("fc", torch::nn::Linear(block.in, options.classes));
  initialise(*this);
}

torch::Tensor CifarResNet::features(torch::Tensor x) {
  x = bn1_(conv1_(x)).relu_();
  for (const auto& stage : stages_) x = stage->forward(x);
  return torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
}

torch::Tensor CifarResNet::forward(torch::Tensor x) {
  return fc_(features(std::move(x)));
}

}  // namespace base
