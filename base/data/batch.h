// batch.h: what a DataLoader makes: examples, and batches of them.
#ifndef BASE_DATA_BATCH_H_
#define BASE_DATA_BATCH_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/tensor/tensors.h"

namespace base {

/// One example: its tensors, without a batch dimension.
using Example = Tensors;

/// Examples together: each tensor has the batch as its first dimension.
struct Batch {
  Tensors tensors;
  std::vector<std::int64_t> indices;  // which examples these are, in the loader's own numbers

  std::int64_t size() const { return static_cast<std::int64_t>(indices.size()); }
  const torch::Tensor& operator[](std::string_view name) const { return tensors[name]; }
};

/// A tensor of differing sizes, made equal: `value` is put behind the shorter ones.
struct Padding {
  std::string_view name;  // of the tensor
  double value = 0;
};

/// Stacks examples. Tensors named in `ragged` may differ in size: they are padded to the largest, and "<name>_length"
/// says how long the first dimension of each was. Anything else that differs in shape, type or name is a data Error.
Tensors stack(std::span<const Example> examples, std::span<const Padding> ragged = {});

/// The rows of several batches in one; where those differ in size, the smaller ones are padded.
torch::Tensor join(const std::vector<torch::Tensor>& batches, const Padding& padding);

}  // namespace base

#endif  // BASE_DATA_BATCH_H_
