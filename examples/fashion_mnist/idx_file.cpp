#include "idx_file.h"

#include <base/log/error.h>
#include <zlib.h>

#include <array>
#include <memory>

namespace {

constexpr int kUnsignedByte = 8;
constexpr std::int64_t kMostValues = std::int64_t{1} << 31;  // a header that promises more is not to be believed

[[noreturn]] void refuse(const std::filesystem::path& path, const char* what) {
  throw base::Error(base::ErrorKind::kData, what, path.string(),
                    "on Debian, apt-get install dataset-fashion-mnist brings the files; elsewhere give --data FOLDER");
}

}  // namespace

IdxFile read_idx(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) refuse(path, "the data file cannot be opened");
  const auto read = [&](void* to, unsigned size) {
    if (gzread(file.get(), to, size) != static_cast<int>(size)) refuse(path, "the data file ends too early");
  };

  std::array<std::uint8_t, 4> magic{};  // two zeros, the type of the values, the number of dimensions
  read(magic.data(), magic.size());
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != kUnsignedByte) refuse(path, "the data file is not IDX of bytes");

  IdxFile idx;
  std::int64_t count = 1;
  for (int dimension = 0; dimension < magic[3]; ++dimension) {
    std::array<std::uint8_t, 4> size{};  // big-endian
    read(size.data(), size.size());
    idx.shape.push_back(std::int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    if (idx.shape.back() == 0 || count > kMostValues / idx.shape.back())
      refuse(path, "the data file's sizes are absurd");
    count *= idx.shape.back();
  }
  idx.values.resize(static_cast<std::size_t>(count));
  read(idx.values.data(), static_cast<unsigned>(count));
  return idx;
}
