// record_file.h: the framing that TFRecord files and TensorBoard event files share. A record is its length (8 bytes),
// the length's masked crc32c (4), the data, and the data's masked crc32c (4); a file is records in a row.
#ifndef BASE_RECORDS_RECORD_FILE_H_
#define BASE_RECORDS_RECORD_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/records/mapped_file.h"
#include "base/records/output_file.h"

namespace base {

/// Writes a new file of records. A full disk, or whatever else goes wrong, is an Error of the data kind.
class RecordWriter {
 public:
  /// What the framing adds to the data of a record.
  static constexpr std::size_t kFrameBytes = 16;

  explicit RecordWriter(const std::filesystem::path& path) : file_(path) {}

  void append(std::span<const std::byte> data);
  /// Hands all records to the system: readers see them, and they survive the end of this process.
  void flush() { file_.flush(); }
  /// flush(), and waits until they are on the disk.
  void sync() { file_.sync(); }
  /// Without it the destructor closes the file, but cannot tell what went wrong.
  void close() { file_.close(); }

  const std::filesystem::path& path() const { return file_.path(); }
  /// The size of the file so far, framing included.
  std::uint64_t bytes() const { return file_.size(); }

 private:
  OutputFile file_;
};

struct RecordReadOptions {
  /// A damaged record is passed over and counted; otherwise it is an Error that names the file and the byte where the
  /// record starts. If the data is damaged, that record alone is lost. If the length is, or the file ends before the
  /// record does, reading goes on at the next byte from which on a length and its checksum fit: all between is lost and
  /// counts as one.
  bool skip_damaged = false;
};

/// Reads a file from front to back. The file is memory-mapped; see MappedFile for what that asks of it.
///
///     RecordReader reader("train.tfrecord");
///     while (const auto record = reader.next()) use(decode_example(*record));
///
class RecordReader {
 public:
  using Options = RecordReadOptions;

  explicit RecordReader(const std::filesystem::path& path, Options options = {});

  /// The data of the next record, valid as long as the reader lives; nothing at the end of the file. After an Error
  /// for damaged data, reading goes on behind it; after any other damage every further call repeats the Error.
  std::optional<std::span<const std::byte>> next();
  /// Where in the file the next record starts.
  std::uint64_t offset() const { return offset_; }
  /// Damaged stretches passed over so far.
  std::uint64_t skipped() const { return skipped_; }

 private:
  MappedFile file_;
  Options options_;
  std::uint64_t offset_ = 0;
  std::uint64_t skipped_ = 0;
};

/// Any record of a file at once, by its number. Opening looks at the lengths alone, which touches one page a record at
/// most; with skip_damaged it reads and checks all data too, so that only whole records get a number. Const calls may
/// come from many threads.
class RecordIndex {
 public:
  using Options = RecordReadOptions;

  explicit RecordIndex(const std::filesystem::path& path, Options options = {});

  std::size_t size() const { return offsets_.size(); }
  /// The data of record `i`, checked, and valid as long as the index lives. Damage is an Error of the data kind; a
  /// number beyond the last record is one of the internal kind.
  std::span<const std::byte> record(std::size_t i) const;
  /// Where in the file record `i` starts.
  std::uint64_t offset(std::size_t i) const { return offsets_.at(i); }
  /// Damaged stretches passed over when the file was opened.
  std::uint64_t skipped() const { return skipped_; }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  MappedFile file_;
  std::vector<std::uint64_t> offsets_;
  std::uint64_t skipped_ = 0;
};

}  // namespace base

#endif  // BASE_RECORDS_RECORD_FILE_H_
