// sharded_writer.h: one long sequence of records in several files, as TensorFlow names them:
// train-00000-of-00003.tfrecord.
#ifndef BASE_RECORDS_SHARDED_WRITER_H_
#define BASE_RECORDS_SHARDED_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/records/record_file.h"

namespace base {

/// A shard ends before the record that would take it over either limit; a record larger than the limit gets a shard of
/// its own.
struct ShardOptions {
  std::uint64_t max_bytes = std::uint64_t{256} << 20;  // of a file, framing included; 0: any size
  std::uint64_t max_records = 0;                       // of a file; 0: any number
};

/// Writes under temporary names until close(), which alone knows the number of shards: then all get their names. If
/// anything goes wrong before, or close() is never called, no file remains. Shards of that name that are there already
/// are an Error, since new ones among old ones would be read as one data set. Every Error is of the data kind.
class ShardedWriter {
 public:
  /// The folder is created if it is missing.
  ShardedWriter(std::filesystem::path folder, std::string name, ShardOptions options = {});
  ~ShardedWriter();
  ShardedWriter(const ShardedWriter&) = delete;
  ShardedWriter& operator=(const ShardedWriter&) = delete;

  void append(std::span<const std::byte> data);
  /// Syncs, renames and returns the files in their order: at least one, which is empty if no record came.
  std::vector<std::filesystem::path> close();

  /// Records appended so far.
  std::uint64_t records() const { return records_; }

 private:
  void start_shard();
  void finish_shard();
  void remove_files() noexcept;

  std::filesystem::path folder_;
  std::string name_;
  ShardOptions options_;
  std::vector<std::filesystem::path> files_;  // what is to be removed if it all fails
  std::optional<RecordWriter> shard_;
  std::uint64_t shard_records_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace base

#endif  // BASE_RECORDS_SHARDED_WRITER_H_
