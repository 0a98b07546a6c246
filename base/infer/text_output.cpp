#include "base/infer/text_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "base/infer/host_tensor.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGathered = std::size_t{1} << 16;

Error output_error(const std::string& name, int reason) {
  return {ErrorKind::kData, "the answers cannot be written", format("{} ({})", name, std::strerror(reason)),
          "check the disk and who may write there"};
}

template <typename T>
void append_chars(std::string& text, T value) {
  std::array<char, 32> digits{};
  char* const first = digits.data();
  text.append(first, std::to_chars(first, first + digits.size(), value).ptr);
}

template <typename T>
T at(const TensorView& view, std::size_t index) {
  T value;
  std::memcpy(&value, view.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

TextOutput::TextOutput(const fs::path& path) : name_(path == "-" ? "standard output" : path.string()) {
  if (path == "-") {
    descriptor_ = ::dup(STDOUT_FILENO);
  } else {
    std::error_code not_there;
    path_ = fs::is_symlink(path, not_there) ? fs::canonical(path, not_there) : path;
    if (path_.empty()) path_ = path;  // a link to nothing
    if (!fs::exists(path_, not_there) || fs::is_regular_file(path_, not_there)) partial_ = path_.string() + ".partial";
    const fs::path& opened = partial_.empty() ? path_ : partial_;
    descriptor_ = ::open(opened.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) throw output_error(name_, errno);
}

TextOutput::~TextOutput() {
  if (descriptor_ < 0) return;
  try {
    flush();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): whoever cares calls close()
  }
  ::close(descriptor_);
  std::error_code gone;
  if (!partial_.empty() && fs::file_size(partial_, gone) == 0) fs::remove(partial_, gone);
}

void TextOutput::write(std::string_view text) {
  gathered_ += text;
  if (gathered_.size() >= kGathered) flush();
}

void TextOutput::flush() {
  std::string_view left = gathered_;
  while (!left.empty()) {
    const ssize_t count = ::write(descriptor_, left.data(), left.size());
    if (count < 0 && errno != EINTR) throw output_error(name_, errno);
    if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
  }
  gathered_.clear();
}

void TextOutput::close() {
  if (descriptor_ < 0) return;
  flush();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) throw output_error(name_, errno);
  if (!partial_.empty() && std::rename(partial_.c_str(), path_.c_str()) != 0) throw output_error(name_, errno);
}

void append_number(std::string& text, const TensorView& view, std::size_t index, const SpecialNumbers& special) {
  if (view.dtype == DType::kI64) return append_chars(text, at<std::int64_t>(view, index));
  if (view.dtype == DType::kU64) return append_chars(text, at<std::uint64_t>(view, index));
  if (view.dtype == DType::kI32 || view.dtype == DType::kU32)
    return append_chars(text, static_cast<std::int64_t>(number_at(view, index)));
  const double value = number_at(view, index);
  if (std::isnan(value)) {
    text += special.nan;
  } else if (std::isinf(value)) {
    text += value < 0 ? special.minus_infinity : special.infinity;
  } else if (view.dtype == DType::kF64) {
    append_chars(text, value);
  } else {
    append_chars(text, static_cast<float>(value));  // which holds all that is left
  }
}

}  // namespace base
