#include "generator/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace generator {

base::Error disk_error(const std::filesystem::path& path, int error) {
  const std::string reason = std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT) {
    return {base::ErrorKind::kDevice, "the disk is full", path.string() + " (" + reason + ")", "make room on it"};
  }
  return {base::ErrorKind::kUsage, "it cannot be written", path.string() + " (" + reason + ")",
          "choose a folder that you may write"};
}

void write_new_file(const std::filesystem::path& path, std::string_view text, bool is_executable) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, is_executable ? 0777 : 0666);
  if (file < 0) throw disk_error(path, errno);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = write(file, text.data() + at, text.size() - at);
    if (count > 0) {
      at += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      const int error = errno;
      close(file);
      throw disk_error(path, error);
    }
  }
  if (close(file) != 0) throw disk_error(path, errno);
}

std::filesystem::path make_temporary_folder(const std::filesystem::path& parent, const std::string& prefix) {
  std::string pattern = (parent / (prefix + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) throw disk_error(parent, errno);
  return pattern;
}

void sync_file_system(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw disk_error(folder, errno);
  const int result = syncfs(descriptor);
  const int error = errno;
  close(descriptor);
  if (result != 0) throw disk_error(folder, error);
}

}  // namespace generator
