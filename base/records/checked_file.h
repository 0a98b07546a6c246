// checked_file.h: files whose size and checksum a manifest keeps.
#ifndef BASE_RECORDS_CHECKED_FILE_H_
#define BASE_RECORDS_CHECKED_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/log/error.h"

namespace base {

/// How a manifest knows a file of its folder.
struct CheckedFile {
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;

  bool operator==(const CheckedFile&) const = default;
};

/// Says what is wrong with a file, in the words of whose file it is.
using Complaint = Error (*)(const std::filesystem::path& file, const std::string& why);

/// Writes and syncs the file. A full disk or the like is a data Error.
CheckedFile write_checked_file(const std::filesystem::path& path, std::string_view text);

/// Reads all of a file that somebody else wrote, and syncs it. `path` that is no regular file is a complaint.
CheckedFile measure_file(const std::filesystem::path& path, Complaint complaint);

/// Reads it all, since a checksum is what tells: a file that is missing or other than expected is a complaint.
void check_file(const std::filesystem::path& path, const CheckedFile& expected, Complaint complaint);

/// The whole file; a complaint if it is not there, is no file or has more than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t most, Complaint complaint);

}  // namespace base

#endif  // BASE_RECORDS_CHECKED_FILE_H_
