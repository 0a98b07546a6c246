// safetensors.h: weights in a file that Python's `safetensors` reads and writes too: a JSON header, then the tensors'
// bytes. Nothing in such a file is ever executed.
#ifndef BASE_RECORDS_SAFETENSORS_H_
#define BASE_RECORDS_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/records/mapped_file.h"

namespace base {

/// In the order of Python's writer, which puts the tensors of the last type first.
enum class DType { kBool, kU8, kI8, kI16, kU16, kF16, kBF16, kI32, kU32, kF32, kF64, kI64, kU64 };

/// Bytes of one element.
std::size_t size_of(DType dtype);
/// As it stands in a file: "F32".
std::string_view name_of(DType dtype);
bool is_floating(DType dtype);

/// A tensor in row-major order whose bytes are somebody else's.
struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;  // empty for a scalar; a zero in it makes an empty tensor
  std::span<const std::byte> bytes;
};

/// A file opened for reading. It is memory-mapped: opening reads the header alone, and the views live as long as the
/// object (or the one it was moved to). All that the header claims has been checked against the file by then; what does
/// not fit is an Error of the data kind. The bytes of a view are aligned to its element only in files with a padded
/// header, as all recent writers make them.
///
///     const SafetensorsFile file("model.safetensors");
///     if (const TensorView* bias = file.find("head.bias")) use(bias->bytes);
///
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);

  /// In the order of their data in the file.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  /// Null if there is none of that name.
  const TensorView* find(std::string_view name) const;
  /// Texts that the writer put beside the tensors, such as {"format", "pt"}.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  MappedFile file_;
  std::vector<TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // the names are those in tensors_
};

struct SafetensorsWriteOptions {
  std::map<std::string, std::string> metadata = {};
  bool sync = false;  // return only when the file is on the disk
};

/// Writes the same bytes as Python's writer does for these tensors (it writes several metadata entries in random order;
/// here they are sorted). Returns the crc32c of the whole file, computed on the way.
/// The file is written in place: to replace one that others may read, write beside it and rename. A disk that is full,
/// or views that make no sense (bytes that do not fit the shape, a name used twice) are an Error of the data kind.
std::uint32_t write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                                const SafetensorsWriteOptions& options = {});

}  // namespace base

#endif  // BASE_RECORDS_SAFETENSORS_H_
