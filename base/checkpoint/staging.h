// staging.h: memory that a checkpoint is copied to while the training waits, so that it can be written afterwards.
#ifndef BASE_CHECKPOINT_STAGING_H_
#define BASE_CHECKPOINT_STAGING_H_

#include <cstdint>

#include "base/checkpoint/checkpoint.h"

namespace base {

/// One block of memory as large as the largest checkpoint so far. It is kept from one save to the next: to get fresh
/// pages from the system takes several times as long as to copy the tensors into them.
class Staging {
 public:
  /// Gets memory for such a checkpoint from the system, all of it.
  void prepare(const Checkpoint& checkpoint);
  /// The checkpoint with its tensors copied to the block, contiguous and on the CPU. The copy is valid until the next.
  Checkpoint copy_of(const Checkpoint& checkpoint);

 private:
  void reserve(const Checkpoint& checkpoint);

  torch::Tensor block_;  // bytes
};

}  // namespace base

#endif  // BASE_CHECKPOINT_STAGING_H_
