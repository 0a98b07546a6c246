#include "base/records/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::size_t kGathered = std::size_t{1} << 20;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // Linux takes no more than 2 GB in a call

Error unwritable(const std::filesystem::path& path, std::string_view what, int reason) {
  const bool full = reason == ENOSPC || reason == EDQUOT;
  const bool limited = reason == EFBIG || reason == EIO || reason == EMFILE;
  return {ErrorKind::kData, format("the file cannot be {}", what), format("{} ({})", path, std::strerror(reason)),
          full      ? "free some space there, or write to another disk"
          : limited ? "check the disk and the limits of the process"
                    : "check that its folder exists and may be written"};
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw unwritable(path_, "created", errno);
}

OutputFile::~OutputFile() {
  try {
    close();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): as the header says
  }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      gathered_(std::move(other.gathered_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(gathered_, other.gathered_);
  return *this;
}

void OutputFile::append(std::span<const std::byte> bytes) {
  require_open();
  if (gathered_.size() + bytes.size() > kGathered) flush();
  if (bytes.size() >= kGathered) {
    write(bytes);
  } else {
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  }
  size_ += bytes.size();
}

void OutputFile::flush() {
  require_open();
  // Taken away before it is written: after a failure, closing must not write it a second time.
  std::vector<std::byte> gathered = std::exchange(gathered_, {});
  write(gathered);
  gathered.clear();
  gathered_ = std::move(gathered);  // with its memory
}

void OutputFile::sync() {
  flush();
  // Pipes and devices cannot be synced and need not be.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) throw unwritable(path_, "synced", errno);
}

void OutputFile::close() {
  if (descriptor_ < 0) return;
  try {
    flush();
  } catch (...) {
    ::close(std::exchange(descriptor_, -1));
    throw;
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) throw unwritable(path_, "closed", errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMostAtOnce));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw unwritable(path_, "written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::require_open() const {
  if (descriptor_ < 0) throw Error(ErrorKind::kInternal, "a closed file is written to", path_.string(), "");
}

}  // namespace base
