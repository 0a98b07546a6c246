#include "base/records/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

Error unreadable(const std::filesystem::path& path, int reason) {
  if (reason == ENOENT) return {ErrorKind::kData, "the file does not exist", path.string(), "check its path"};
  return {ErrorKind::kData, "the file cannot be read", format("{} ({})", path, std::strerror(reason)),
          "check its permissions and its disk"};
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not make it wait
  if (descriptor < 0) throw unreadable(path_, errno);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (known && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(data), size};
  }
  const int reason = errno;
  ::close(descriptor);
  if (known && !S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::kData, "this is not a regular file", path_.string(), "name a file, no folder or device");
  }
  if (!known || (status.st_size > 0 && bytes_.empty())) throw unreadable(path_, reason);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT(*-const-cast)
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::expect_sequential_reads() const {
  if (bytes_.empty()) return;
  static_cast<void>(::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_SEQUENTIAL));  // NOLINT
}

}  // namespace base
