// checkpoint_store.h: the checkpoints of a run: written beside the training, the last and the best few kept.
#ifndef BASE_CHECKPOINT_CHECKPOINT_STORE_H_
#define BASE_CHECKPOINT_CHECKPOINT_STORE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/checkpoint/checkpoint.h"

namespace base {

/// Holds the folder checkpoints/ of one run. Not for several threads at once. Of all the processes that have a store of
/// this folder, the first that claims it is the only one that may save: it holds a lock until its store is gone. The
/// others read, also while it writes.
class CheckpointStore {
 public:
  struct Options {
    int keep_last = 3;             // at least 1
    int keep_best = 1;             // besides; 0: none
    bool lower_is_better = false;  // of the score
  };

  /// Makes the folder if need be, and removes what a killed run left half-written.
  CheckpointStore(std::filesystem::path folder, const Options& options);
  /// Waits for what is being written; an error then is logged.
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  /// From now on nobody else writes there; an Error if somebody does. save() and prepare() do it too.
  void claim();

  /// Copies the tensors and returns; a thread writes them. The training may change them at once. Waits if one before is
  /// still being written. An error of the writing comes out of the next save() or wait(); the checkpoints before stay
  /// whole. One that is there of the same step is replaced. The copy's memory, as much as the tensors take, is kept for
  /// the next save.
  ///
  /// Once it is written, those before it go, except the last `keep_last` and the `keep_best` with the best scores (the
  /// newer one of two equals; nan is never best). Damaged ones count for nothing and are left for people to look at,
  /// and so are those of later steps, which an earlier attempt wrote.
  void save(const Checkpoint& checkpoint);
  /// Gets the memory for such a checkpoint beside the training. Without it the first save() does, and takes several
  /// times as long as the later ones.
  void prepare(const Checkpoint& checkpoint);
  /// Until everything is on disk.
  void wait();

  /// One that is on disk, whole or not.
  struct Entry {
    std::int64_t step = 0;
    std::filesystem::path folder;
    std::optional<double> score;
  };
  /// In the order of their steps.
  std::vector<Entry> entries() const;

  /// `which` is "latest", "best", "step-400", "400" or a path. "latest" and "best" fall back to the next one if a
  /// checkpoint is damaged, with a warning that names it; nothing if there is none at all, but an Error if there are
  /// some and none will do. One that is named must be there, and whole. Waits for what this store is writing.
  std::optional<Checkpoint> load(const std::string& which);

 private:
  class Writer;
  std::filesystem::path folder_;
  Options options_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace base

#endif  // BASE_CHECKPOINT_CHECKPOINT_STORE_H_
