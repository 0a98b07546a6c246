// mlp.h: a multi-layer perceptron.
#ifndef BASE_MODEL_MLP_H_
#define BASE_MODEL_MLP_H_

#include <cstdint>
#include <vector>

#include "base/torch.h"

namespace base {

/// Linear layers with ReLU between them: layers.0, layers.1 and so on.
class Mlp final : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t inputs = 0;                      // numbers in one example
    std::vector<std::int64_t> hidden = {64, 64};  // width of each layer but the last
    std::int64_t outputs = 0;                     // width of the last
    double dropout = 0;                           // after each ReLU
  };
  explicit Mlp(const Options& options);

  /// From [n, ...], flattened, to [n, outputs].
  torch::Tensor forward(torch::Tensor x);

 private:
  std::vector<torch::nn::Linear> layers_;
  double dropout_;
};

}  // namespace base

#endif  // BASE_MODEL_MLP_H_
