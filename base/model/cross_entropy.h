// cross_entropy.h: the loss of classification, as one step of the backward pass.
#ifndef BASE_MODEL_CROSS_ENTROPY_H_
#define BASE_MODEL_CROSS_ENTROPY_H_

#include "base/torch.h"

namespace base {

/// Like torch::cross_entropy_loss(logits, labels): logits [n, classes] and the numbers of the right classes [n].
///
/// By hand for the same reason as dense(): of few numbers LibTorch's bookkeeping takes several times as long as the
/// arithmetic. Where there are many, on a GPU, or where something must see the parts, it is LibTorch's own.
torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace base

#endif  // BASE_MODEL_CROSS_ENTROPY_H_
