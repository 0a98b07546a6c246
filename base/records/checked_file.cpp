#include "base/records/checked_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <system_error>
#include <vector>

#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/crc32c.h"
#include "base/records/output_file.h"

namespace base {
namespace {

namespace fs = std::filesystem;

// Size and checksum, up to one byte more than `most`. Not through a mapping: a disk that fails would end the process.
CheckedFile look_at(const fs::path& path, std::uint64_t most, bool sync, Complaint complaint) {
  std::error_code error;
  if (!fs::exists(path, error)) throw complaint(path, "it is missing");
  const int descriptor = fs::is_regular_file(path, error) ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) throw complaint(path, "it cannot be read");
  CheckedFile found{.name = path.filename().string()};
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  ssize_t count = 0;
  while ((count = ::read(descriptor, buffer.data(), buffer.size())) > 0 || (count < 0 && errno == EINTR)) {
    if (count < 0) continue;
    found.crc32c = crc32c(std::span(buffer).first(static_cast<std::size_t>(count)), found.crc32c);
    found.size += static_cast<std::uint64_t>(count);
    if (found.size > most) break;
  }
  const bool failed = count < 0 || (sync && ::fsync(descriptor) != 0 && errno != EINVAL);
  const int reason = errno;
  ::close(descriptor);
  if (failed) throw complaint(path, std::strerror(reason));
  return found;
}

}  // namespace

CheckedFile write_checked_file(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.append(bytes_of(text));
  file.sync();
  file.close();
  return {path.filename().string(), text.size(), crc32c(bytes_of(text))};
}

CheckedFile measure_file(const fs::path& path, Complaint complaint) {
  return look_at(path, std::numeric_limits<std::uint64_t>::max(), /*sync=*/true, complaint);
}

void check_file(const fs::path& path, const CheckedFile& expected, Complaint complaint) {
  const CheckedFile found = look_at(path, expected.size, /*sync=*/false, complaint);
  if (found.size > expected.size) throw complaint(path, format("it has more than its {} bytes", expected.size));
  if (found.size < expected.size) throw complaint(path, format("{} of {} bytes are there", found.size, expected.size));
  if (found.crc32c != expected.crc32c) throw complaint(path, "its checksum does not fit it");
}

std::string read_file(const fs::path& path, std::uint64_t most, Complaint complaint) {
  std::error_code error;
  const std::uint64_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  if (!fs::exists(path, error)) throw complaint(path, "it is missing");
  if (error) throw complaint(path, error.message());
  if (size > most) throw complaint(path, format("{} bytes are too many", size));
  std::string text(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(size))) throw complaint(path, "it cannot be read");
  return text;
}

}  // namespace base
