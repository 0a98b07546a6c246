// dense.h: a linear layer with its ReLU, as one step of the backward pass.
#ifndef BASE_MODEL_DENSE_H_
#define BASE_MODEL_DENSE_H_

#include "base/torch.h"

namespace base {

enum class Activation { kNone, kRelu };

/// Like linear->forward(x), with .relu() after it.
///
/// By hand because LibTorch's bookkeeping, not its arithmetic, is most of the time of a small network: it makes three
/// nodes of the graph of what is one here. Where something must see the parts (autocast, a trace), or where there is no
/// gradient to keep, they are LibTorch's own.
torch::Tensor dense(torch::nn::Linear& linear, const torch::Tensor& x, Activation activation);

}  // namespace base

#endif  // BASE_MODEL_DENSE_H_
