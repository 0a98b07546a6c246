#include "base/infer/sealed_file.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/crc32c.h"
#include "base/records/output_file.h"

namespace base {
namespace {

constexpr std::string_view kSeal = "scaffold sealed 1 ";
constexpr std::size_t kPage = 4096;
constexpr std::size_t kLongestHeader = 1024 * kPage;

std::string header_of(const std::string& label, std::span<const std::byte> bytes) {
  const std::uint32_t sum = crc32c(bytes, crc32c(bytes_of(label)));
  std::size_t size = kPage;
  while (true) {  // the line holds the size of what it is part of
    std::string header =
        format("{}header {} bytes {} crc32c {:08x} label {}\n", kSeal, size, bytes.size(), sum, label.size()) + label;
    if (header.size() <= size) return header.append(size - header.size(), '\0');
    size += kPage;
  }
}

/// The number that follows `word`, both taken off `text`.
std::optional<std::uint64_t> take_number(std::string_view& text, std::string_view word, int base = 10) {
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

void publish(const std::filesystem::path& path, std::span<const std::byte> header, std::span<const std::byte> bytes) {
  static std::atomic<int> count = 0;
  make_private_folder(path.parent_path());
  const std::filesystem::path partial =
      path.parent_path() / format(".{}.partial-{}-{}", path.filename(), ::getpid(), ++count);
  std::error_code ignored;
  try {
    OutputFile file(partial);
    file.append(header);
    file.append(bytes);
    file.close();
    std::error_code error;
    std::filesystem::rename(partial, path, error);
    if (error) {
      throw Error(ErrorKind::kData, "cannot put the file in its place (" + error.message() + ")", path.string(),
                  "give another folder");
    }
  } catch (...) {
    std::filesystem::remove(partial, ignored);
    throw;
  }
}

}  // namespace

void make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder, error)) return;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ErrorKind::kData, "cannot make the folder (" + error.message() + ")", folder.string(),
                "give another folder");
  }
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
}

void write_sealed(const std::filesystem::path& path, const std::string& label, std::span<const std::byte> bytes) {
  publish(path, bytes_of(header_of(label, bytes)), bytes);
}

void publish_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  publish(path, {}, bytes);
}

bool looks_sealed(std::span<const std::byte> bytes) {
  return text_of(bytes).starts_with(kSeal);
}

std::variant<SealedFile, std::string> read_sealed(const std::filesystem::path& path) {
  MappedFile file(path);
  std::string_view text = text_of(file.bytes());
  if (!text.starts_with(kSeal)) return "is not one of ours";
  std::string_view line = text.substr(kSeal.size(), text.substr(0, 256).find('\n') - kSeal.size());
  const auto header = take_number(line, "header ");
  const auto size = take_number(line, " bytes ");
  const auto sum = take_number(line, " crc32c ", 16);
  const auto label_size = take_number(line, " label ");
  const std::size_t label_begin = text.substr(0, 256).find('\n') + 1;
  if (!header || !size || !sum || !label_size || !line.empty() || label_begin == 0 || *header > kLongestHeader ||
      *label_size > *header || label_begin + *label_size > *header) {
    return "is damaged";
  }
  if (text.size() < *header || text.size() - *header != *size) return "is cut off";
  const std::string label(text.substr(label_begin, *label_size));
  const std::span<const std::byte> bytes = file.bytes().subspan(*header);
  if (crc32c(bytes, crc32c(bytes_of(label))) != *sum) return "is damaged";
  return SealedFile{.file = std::move(file), .label = label, .bytes = bytes};
}

}  // namespace base
