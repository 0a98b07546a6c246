// batch_stream.h: the batches of one epoch, made ahead by threads, delivered in order.
#ifndef BASE_DATA_BATCH_STREAM_H_
#define BASE_DATA_BATCH_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "base/data/data_loader.h"
#include "base/data/data_settings.h"
#include "base/dist/world.h"

namespace base {

/// Where a run stands in its data. Counted in examples of the whole world, so that another number of processes can go
/// on from it.
struct Cursor {
  std::int64_t epoch = 0;
  std::int64_t taken = 0;  // examples of the epoch's order that all processes have taken

  bool operator==(const Cursor&) const = default;
};

/// Iterate with next(). Which batches come, and what is in them, depends on the loader, `settings` (but for threads and
/// prefetch), seed, cursor, purpose and world; never on threads or on time. Leaving it half-way is fine: the threads
/// end with it. An exception in a hook comes out of the next() that would have delivered the batch, with the example's
/// number and file.
class BatchStream {
 public:
  struct Options {
    DataSettings settings = {};
    std::uint64_t seed = 0;
    Cursor from = {};
    bool training = false;  // shuffles and augments
    bool pin = false;       // in page-locked memory, from which a GPU copies without waiting
    World world = {};
  };

  /// The loader must outlive the stream.
  BatchStream(const DataLoader& loader, const Options& options);
  BatchStream(const DataLoader&& loader, const Options& options) = delete;  // one that is gone at once
  ~BatchStream();
  BatchStream(BatchStream&&) noexcept;
  BatchStream& operator=(BatchStream&&) noexcept;

  /// The next batch; nothing at the end of the epoch.
  std::optional<Batch> next();

  /// Where the run stands after the batches that next() has delivered. A stream that begins at the very end of an epoch
  /// has none left: whoever goes on from there ends the epoch first, as if it had not been interrupted.
  Cursor cursor() const;

  /// Batches from the beginning of the epoch to its end, for progress; nothing if the size of the data is unknown.
  std::optional<std::int64_t> batches_per_epoch() const;

 private:
  class Pipeline;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace base

#endif  // BASE_DATA_BATCH_STREAM_H_
