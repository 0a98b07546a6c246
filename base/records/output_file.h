// output_file.h: a new file, written from front to back; whatever goes wrong is an Error that names it.
#ifndef BASE_RECORDS_OUTPUT_FILE_H_
#define BASE_RECORDS_OUTPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace base {

/// Small pieces are gathered, large ones go straight to the system. std::ofstream would lose the reason of a failure
/// ("no space left on device") and cannot sync. Every Error is of the data kind, and after one the file is not whole.
class OutputFile {
 public:
  /// Creates the file, or empties the one that is there.
  explicit OutputFile(std::filesystem::path path);
  /// Closes a file that is still open, but says nothing of what goes wrong then: call close().
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::span<const std::byte> bytes);
  /// Hands what was gathered to the system: other processes see it, and it survives the end of this one.
  void flush();
  /// flush(), and waits until it is on the disk: it survives a power cut.
  void sync();
  /// flush() and close; nothing may be appended afterwards. Closing twice does nothing.
  void close();

  const std::filesystem::path& path() const { return path_; }
  /// Bytes appended so far.
  std::uint64_t size() const { return size_; }

 private:
  void write(std::span<const std::byte> bytes);
  void require_open() const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::vector<std::byte> gathered_;
};

}  // namespace base

#endif  // BASE_RECORDS_OUTPUT_FILE_H_
