// sealed_file.h: bytes in a file that says what they are, and whether they are whole.
//
// The first line is "scaffold sealed 1 header 4096 bytes 123456 crc32c 0a1b2c3d", the label follows, then zeros up to a
// multiple of a page, then the bytes: mapped into memory they are aligned.
#ifndef BASE_INFER_SEALED_FILE_H_
#define BASE_INFER_SEALED_FILE_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/records/mapped_file.h"

namespace base {

/// Makes the folder, if it is not there, for this user alone: what is in it may be run.
void make_private_folder(const std::filesystem::path& folder);

/// Writes beside `path`, then renames: whoever reads sees the old file or the new one, however many write at once. Its
/// folder is made. What fails is an Error of the data kind.
void write_sealed(const std::filesystem::path& path, const std::string& label, std::span<const std::byte> bytes);

/// The same without label and checksum.
void publish_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

struct SealedFile {
  MappedFile file;
  std::string label;
  std::span<const std::byte> bytes;  // live as long as `file`
};

/// Whether a file begins as a sealed one does.
bool looks_sealed(std::span<const std::byte> bytes);

/// The file, checked, or in words why it cannot be used: "is cut off".
std::variant<SealedFile, std::string> read_sealed(const std::filesystem::path& path);

}  // namespace base

#endif  // BASE_INFER_SEALED_FILE_H_
