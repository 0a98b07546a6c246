#include "base/torch.h"

#include "base/model/mlp.h"

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/model/dense.h"
#include "base/model/dropout.h"

namespace base {

Mlp::Mlp(const Options& options) : dropout_(options.dropout) {
  std::vector<std::int64_t> widths = {options.inputs};
  widths.insert(widths.end(), options.hidden.begin(), options.hidden.end());
  widths.push_back(options.outputs);
  for (const std::int64_t width : widths) {
    if (width < 1) {
      throw Error(ErrorKind::kUsage, "a layer has no such width", format("{}", width),
                  "give inputs, outputs and every hidden layer 1 or more");
    }
  }
  torch::nn::ModuleList layers;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    layers_.emplace_back(widths[i], widths[i + 1]);
    layers->push_back(layers_.back());
  }
  register_module("layers", layers);
}

torch::Tensor Mlp::forward(torch::Tensor x) {
  x = x.flatten(1);
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    x = dense(layers_[i], x, Activation::kRelu);
    if (dropout_ > 0) x = fast_dropout(x, dropout_, is_training());
  }
  return dense(layers_.back(), x, Activation::kNone);
}

}  // namespace base
