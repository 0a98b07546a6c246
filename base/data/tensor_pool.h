// tensor_pool.h: memory of large batches, used again. A fresh piece of memory costs a page fault every 4 KiB: a good
// quarter of the time it takes to fill it with decoded pictures, and allocators give pieces this large back at once.
#ifndef BASE_DATA_TENSOR_POOL_H_
#define BASE_DATA_TENSOR_POOL_H_

#include <memory>

#include "base/torch.h"

namespace base {

/// May be used by several threads at once. It holds as much memory as its tensors have needed at one time, until it and
/// the last of them are gone.
class TensorPool {
 public:
  TensorPool();

  /// Floats of this shape, whatever they were used for before. Their memory comes back with the last reference to them.
  torch::Tensor take(torch::IntArrayRef shape) const;

 private:
  class Shelf;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace base

#endif  // BASE_DATA_TENSOR_POOL_H_
