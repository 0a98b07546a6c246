#include "base/infer/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;
constexpr std::size_t kLongest = std::size_t{1} << 30;

}  // namespace

LineReader::LineReader(const std::filesystem::path& path) : name_(path == "-" ? "standard input" : path.string()) {
  descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int reason = errno;
  if (descriptor_ < 0 || ::pipe2(wake_.data(), O_CLOEXEC) != 0) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error(ErrorKind::kData, "the file cannot be read", format("{} ({})", name_, std::strerror(reason)),
                "check the path and who may read it");
  }
}

LineReader::~LineReader() {
  for (const int descriptor : {descriptor_, wake_[0], wake_[1]}) ::close(descriptor);
}

std::optional<std::string_view> LineReader::next() {
  while (!has_line()) {
    if (is_cancelled_) return std::nullopt;
    if (!at_end_) {
      fill(/*wait=*/true);
      continue;
    }
    if (begin_ == buffer_.size()) return std::nullopt;
    buffer_ += '\n';  // the last line had none
  }
  std::string_view line = std::string_view(buffer_).substr(begin_, searched_ - begin_);
  begin_ = searched_ = searched_ + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++line_;
  return line;
}

bool LineReader::is_ready() {
  while (!has_line() && !at_end_)
    if (!fill(/*wait=*/false)) return false;
  return true;
}

void LineReader::cancel() {
  is_cancelled_ = true;
  const char byte = 0;
  static_cast<void>(::write(wake_[1], &byte, 1) == 1);  // what cannot be written has been written before
}

std::string LineReader::where() const {
  return format("{}:{}", name_, line_);
}

// Then searched_ is where it ends.
bool LineReader::has_line() {
  const std::size_t found = buffer_.find('\n', searched_);
  searched_ = std::min(found, buffer_.size());
  return found != std::string::npos;
}

// Reads what there is. False if that was nothing yet.
bool LineReader::fill(bool wait) {
  std::array<pollfd, 2> polled = {{{descriptor_, POLLIN, 0}, {wake_[0], POLLIN, 0}}};
  if (::poll(polled.data(), polled.size(), wait ? -1 : 0) < 0 && errno != EINTR) {
    throw Error(ErrorKind::kData, "the file cannot be read", format("{} ({})", name_, std::strerror(errno)),
                "try again");
  }
  if (polled[1].revents != 0 || polled[0].revents == 0) return false;
  if (begin_ > 0) {  // what was returned makes room
    buffer_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() > kLongest) {
    throw Error(ErrorKind::kData, "a line is longer than 1 GB", format("{}:{}", name_, line_ + 1),
                "write one sample a line");
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kPiece);
  const ssize_t count = ::read(descriptor_, buffer_.data() + size, kPiece);
  const int reason = errno;
  buffer_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0 && reason != EINTR && reason != EAGAIN) {
    throw Error(ErrorKind::kData, "the file cannot be read", format("{} ({})", name_, std::strerror(reason)),
                "check the disk");
  }
  if (count == 0) at_end_ = true;
  return true;
}

}  // namespace base
