#include "base/torch.h"

#include "base/data/cifar.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>

#include "base/data/data_file.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::size_t kPicture = 3 * 32 * 32;  // red, green, blue, each row by row
constexpr std::size_t kRecord = 1 + kPicture;  // a label before each
constexpr int kClasses = 10;

}  // namespace

Tensors read_cifar10(const std::vector<std::filesystem::path>& files) {
  std::vector<std::int64_t> records;
  std::int64_t count = 0;
  for (const auto& file : files) {
    const std::int64_t size = data_file_size(file);
    if (size % kRecord != 0) {
      throw Error(ErrorKind::kData, format("the CIFAR-10 file is not a whole number of records of {} bytes", kRecord),
                  format("{} ({} bytes)", file, size), "it is cut short or of another format: fetch it again");
    }
    count += size / static_cast<std::int64_t>(kRecord);
  }
  if (count == 0) {
    throw Error(ErrorKind::kData, "the CIFAR-10 files hold no pictures", files.empty() ? "" : files.front().string(),
                "fetch cifar-10-binary.tar.gz again");
  }

  const auto images = torch::empty({count, 3, 32, 32}, torch::kUInt8);
  const auto labels = torch::empty({count}, torch::kLong);
  auto* pixels = images.data_ptr<std::uint8_t>();
  auto* label = labels.data_ptr<std::int64_t>();
  const auto* const end = label + count;
  for (const auto& file : files) {
    const std::string bytes = read_data_file(file);
    for (std::size_t first = 0; first + kRecord <= bytes.size() && label < end; first += kRecord) {
      *label = static_cast<std::uint8_t>(bytes[first]);
      if (*label >= kClasses) {
        throw Error(ErrorKind::kData, format("the CIFAR-10 file has label {}, above {}", *label, kClasses - 1),
                    format("{}, record {}", file, first / kRecord),
                    "it is damaged or of another format: fetch it again");
      }
      std::memcpy(pixels, bytes.data() + first + 1, kPicture);
      pixels += kPicture;
      ++label;
    }
  }
  if (label != end) {
    throw Error(ErrorKind::kData, "a CIFAR-10 file became shorter while it was read", files.back().string(),
                "let nothing write to the files during a run");
  }
  return {{"image", images}, {"label", labels}};
}

Tensors read_cifar10(const std::filesystem::path& folder, bool training) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".bin") && name.starts_with(training ? "data_batch_" : "test_batch"))
      files.push_back(entry->path());
  }
  if (files.empty()) {
    throw Error(ErrorKind::kData, "the folder has no CIFAR-10 files", folder.string(),
                format("give the folder with {}, to which cifar-10-binary.tar.gz unpacks",
                       training ? "data_batch_*.bin" : "test_batch.bin"));
  }
  std::ranges::sort(files);
  return read_cifar10(files);
}

}  // namespace base
