// sync_batch_norm.h: batch norm over the batches of all processes, where those of one are too small for good
// statistics.
#ifndef BASE_DIST_SYNC_BATCH_NORM_H_
#define BASE_DIST_SYNC_BATCH_NORM_H_

#include "base/dist/process_group.h"

namespace base {

/// While it lives, every batch norm in training that this thread calls, torch::nn's layers included, takes the mean and
/// variance over the rows of all processes, each of which must call it in the same order. Rows that do not count are
/// normalised as the others are. Without a group it does nothing.
class SyncBatchNorm {
 public:
  SyncBatchNorm(ProcessGroup* group, bool rows_count);
  ~SyncBatchNorm();
  SyncBatchNorm(const SyncBatchNorm&) = delete;
  SyncBatchNorm& operator=(const SyncBatchNorm&) = delete;

 private:
  bool is_on_;
};

}  // namespace base

#endif  // BASE_DIST_SYNC_BATCH_NORM_H_
