#include "base/torch.h"

#include "base/data/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/data/data_file.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::int64_t kBestRatio = 1032;  // deflate cannot make more bytes than that out of one
constexpr int kMostDimensions = 64;        // as many as LibTorch's loops take
constexpr std::int64_t kPiece = 1 << 30;   // zlib counts in ints

/// An IDX file, unpacked while it is read.
class IdxReader {
 public:
  explicit IdxReader(const std::filesystem::path& path)
      : path_(path), size_(data_file_size(path)), file_(gzopen(path.c_str(), "rb"), gzclose) {
    if (!file_) refuse("the data file cannot be opened", "check that this user may read it");
    gzbuffer(file_.get(), 1 << 18);
  }

  torch::Tensor read() {
    std::array<std::uint8_t, 4> magic{};  // two zeros, the type of the values, the number of dimensions
    if (read_some(magic) < 4 || magic[0] != 0 || magic[1] != 0) {
      refuse("the data file is not an IDX file",
             "give a file that starts with two zeros, a type and the number of dimensions");
    }
    const torch::ScalarType type = type_of(magic[2]);
    if (magic[3] == 0 || magic[3] > kMostDimensions)
      refuse(format("the IDX file has {} dimensions, not 1 to {}", magic[3], kMostDimensions), kFetchAgain);

    std::vector<std::int64_t> shape;
    std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(type));
    for (int dimension = 0; dimension < magic[3]; ++dimension) {
      std::array<std::uint8_t, 4> size{};
      read_all(size);
      shape.push_back(std::int64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3]);
      if (shape.back() == 0) refuse("the IDX file holds no values: one of its dimensions is 0", kFetchAgain);
      // Before anything of that size is allocated: can these bytes come out of this file?
      if (bytes > most_bytes() / shape.back())
        refuse("the IDX file's header promises more values than it can hold", kFetchAgain);
      bytes *= shape.back();
    }

    torch::Tensor values = torch::empty(shape, type);
    const std::span<std::uint8_t> raw(static_cast<std::uint8_t*>(values.data_ptr()), static_cast<std::size_t>(bytes));
    read_all(raw);
    std::array<std::uint8_t, 1> more{};
    if (read_some(more) != 0) refuse("the IDX file goes on behind its last value", kFetchAgain);
    from_big_endian(raw, c10::elementSize(type));
    return values;
  }

 private:
  static constexpr const char* kFetchAgain = "it is damaged or of another format: fetch it again";

  [[noreturn]] void refuse(const std::string& what, const std::string& fix) const {
    throw Error(ErrorKind::kData, what, path_.string(), fix);
  }

  torch::ScalarType type_of(int code) const {
    switch (code) {
      case 0x08:
        return torch::kUInt8;
      case 0x09:
        return torch::kInt8;
      case 0x0B:
        return torch::kInt16;
      case 0x0C:
        return torch::kInt32;
      case 0x0D:
        return torch::kFloat;
      case 0x0E:
        return torch::kDouble;
      default:
        refuse(format("the IDX file has values of the unknown type 0x{:02x}", code), kFetchAgain);
    }
  }

  std::int64_t most_bytes() const { return gzdirect(file_.get()) != 0 ? size_ : size_ * kBestRatio; }

  /// Fewer bytes than asked for only at the end of the file.
  std::size_t read_some(std::span<std::uint8_t> to) {
    std::size_t filled = 0;
    while (filled < to.size()) {
      const auto piece = static_cast<unsigned>(std::min<std::size_t>(to.size() - filled, kPiece));
      const int count = gzread(file_.get(), to.data() + filled, piece);
      if (count < 0) {
        int code = 0;
        refuse(format("the data file does not unpack ({})", gzerror(file_.get(), &code)), kFetchAgain);
      }
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
    }
    return filled;
  }

  void read_all(std::span<std::uint8_t> to) {
    const std::size_t count = read_some(to);
    if (count < to.size())
      refuse(format("the IDX file ends too early, {} bytes short", to.size() - count), kFetchAgain);
  }

  static void from_big_endian(std::span<std::uint8_t> bytes, std::size_t size) {
    if (size == 1) return;
    for (std::size_t first = 0; first < bytes.size(); first += size)
      std::reverse(bytes.begin() + first, bytes.begin() + first + size);
  }

  const std::filesystem::path& path_;
  std::int64_t size_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

}  // namespace

torch::Tensor read_idx(const std::filesystem::path& path) {
  const std::filesystem::path packed = path.string() + ".gz";
  std::error_code ignored;
  const bool is_packed = !std::filesystem::exists(path, ignored) && std::filesystem::exists(packed, ignored);
  return IdxReader(is_packed ? packed : path).read();
}

}  // namespace base
