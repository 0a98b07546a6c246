// flatten.h: from pictures to rows of numbers.
#ifndef BASE_MODEL_FLATTEN_H_
#define BASE_MODEL_FLATTEN_H_

#include "base/torch.h"

namespace base {

/// Like x.flatten(1), but its gradient comes back in the layout that `x` has: one that is not channels_last where `x`
/// is makes the layers before several times slower.
torch::Tensor flatten_pictures(const torch::Tensor& x);

}  // namespace base

#endif  // BASE_MODEL_FLATTEN_H_
