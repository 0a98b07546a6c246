#include "base/data/data_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int reason) {
  const char* what = reason == ENOENT ? "there is no such data file" : "the data file cannot be read";
  const std::string value = reason == ENOENT
                                ? path.string()
                                : format("{} ({})", path, std::strerror(reason));  // NOLINT(concurrency-mt-unsafe)
  throw Error(ErrorKind::kData, what, value, "check the path, and that this user may read the file");
}

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) refuse(path, errno);
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::int64_t size() const {
    struct stat facts {};
    if (fstat(descriptor_, &facts) != 0) refuse(path_, errno);
    if (S_ISDIR(facts.st_mode)) refuse(path_, EISDIR);
    return facts.st_size;
  }

  /// Up to `size` bytes; 0 at the end.
  std::size_t read(char* to, std::size_t size) const {
    ssize_t count = 0;
    do count = ::read(descriptor_, to, size);
    while (count < 0 && errno == EINTR);
    if (count < 0) refuse(path_, errno);
    return static_cast<std::size_t>(count);
  }

 private:
  const std::filesystem::path& path_;
  int descriptor_;
};

}  // namespace

std::int64_t data_file_size(const std::filesystem::path& path) {
  return OpenFile(path).size();
}

std::string read_data_file(const std::filesystem::path& path) {
  const OpenFile file(path);
  // One byte more than there should be: the read that comes back short is then the last one. A pipe has no size and is
  // read in growing pieces.
  std::string bytes(static_cast<std::size_t>(file.size()) + 1, '\0');
  std::size_t filled = 0;
  while (const std::size_t count = file.read(bytes.data() + filled, bytes.size() - filled)) {
    filled += count;
    if (filled == bytes.size()) bytes.resize(2 * bytes.size() + 4096);
  }
  bytes.resize(filled);
  return bytes;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, const std::string& ending) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem))
    if (entry->path().extension() == ending && entry->is_regular_file()) files.push_back(entry->path());
  if (problem) {
    throw Error(ErrorKind::kData, "the folder of data cannot be read", format("{} ({})", folder, problem.message()),
                "check the path, and that this user may read it");
  }
  if (files.empty())
    throw Error(ErrorKind::kData, format("the folder has no {} files in it", ending), folder.string(),
                "put some there");
  std::ranges::sort(files);
  return files;
}

}  // namespace base
