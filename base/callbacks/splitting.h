// splitting.h: batches as samples, for callbacks that look at one at a time.
#ifndef BASE_CALLBACKS_SPLITTING_H_
#define BASE_CALLBACKS_SPLITTING_H_

#include <span>
#include <string>
#include <vector>

#include "base/tensor/tensors.h"

namespace base {

/// The samples of a batch: row i of each tensor, on the CPU. Tensors named in `whole` are not of the batch, and every
/// sample has all of them. Rows of differing numbers are a data Error.
std::vector<Tensors> split_batch(const Tensors& batch, std::span<const std::string> whole = {});

}  // namespace base

#endif  // BASE_CALLBACKS_SPLITTING_H_
