// mapped_file.h: a file's bytes in memory, without reading them: the system brings each page when it is looked at.
#ifndef BASE_RECORDS_MAPPED_FILE_H_
#define BASE_RECORDS_MAPPED_FILE_H_

#include <cstddef>
#include <filesystem>
#include <span>

namespace base {

/// Read-only; the bytes live as long as the object, also where it was moved to. Others may rename or remove the file
/// meanwhile, but must not shorten it: a page that is gone ends the process (so writers write beside and rename).
class MappedFile {
 public:
  /// A file that is missing, unreadable or no regular file is an Error of the data kind.
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// The bytes will be read from front to back: the system reads ahead.
  void expect_sequential_reads() const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace base

#endif  // BASE_RECORDS_MAPPED_FILE_H_
