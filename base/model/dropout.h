// dropout.h: dropout that is fast on the CPU.
#ifndef BASE_MODEL_DROPOUT_H_
#define BASE_MODEL_DROPOUT_H_

#include "base/torch.h"

namespace base {

/// Like torch::dropout: in training each element becomes 0 with this probability, and the others grow so that the mean
/// stays.
///
/// By hand because LibTorch draws the elements one after the other on the CPU, which took a tenth of the time of a
/// small convolutional network. Here a single draw from LibTorch's generator seeds the call, and an element's fate is a
/// hash of that seed and its place, which the compiler turns into vector instructions. Nothing is kept for the backward
/// pass but the seed. On a GPU, and for other types than float, it is torch::dropout.
torch::Tensor fast_dropout(const torch::Tensor& x, double probability, bool training);

}  // namespace base

#endif  // BASE_MODEL_DROPOUT_H_
