#include "base/records/record_file.h"

#include <array>
#include <string_view>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/crc32c.h"

namespace base {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kFooterBytes = 4;

enum class Damage { kNone, kEndsEarly, kLength, kData };

// What stands at some offset of a file, which is not its end.
struct Frame {
  Damage damage = Damage::kNone;  // kData is only found by has_good_data
  std::span<const std::byte> data = {};
  std::uint32_t data_crc = 0;

  bool has_good_data() const { return masked_crc32c(data) == data_crc; }
};

Frame frame_at(std::span<const std::byte> file, std::uint64_t offset) {
  const std::span<const std::byte> rest = file.subspan(offset);
  if (rest.size() < kHeaderBytes) return {.damage = Damage::kEndsEarly};
  if (masked_crc32c(rest.first(8)) != load<std::uint32_t>(rest.data() + 8)) return {.damage = Damage::kLength};
  const auto length = load<std::uint64_t>(rest.data());
  const std::size_t room = rest.size() - kHeaderBytes;
  if (room < kFooterBytes || length > room - kFooterBytes) return {.damage = Damage::kEndsEarly};
  const std::span<const std::byte> data = rest.subspan(kHeaderBytes, length);
  return {.data = data, .data_crc = load<std::uint32_t>(data.data() + length)};
}

std::uint64_t end_of(std::uint64_t offset, const Frame& frame) {
  return offset + RecordWriter::kFrameBytes + frame.data.size();
}

// The next offset at which a whole record may start. Checking the length is enough: that 12 bytes fit each other and
// the file by chance happens once in 2^32 times; and checking data too would let a hostile file make it take forever.
std::uint64_t find_frame(std::span<const std::byte> file, std::uint64_t offset) {
  while (offset < file.size() && frame_at(file, offset).damage != Damage::kNone) ++offset;
  return offset;
}

Error damaged(const std::filesystem::path& path, std::uint64_t offset, Damage damage) {
  std::string_view what = "the data of a record is damaged";
  if (damage == Damage::kLength) what = "a record's length is damaged, or this is not a record file";
  if (damage == Damage::kEndsEarly) what = "the file ends in the middle of a record";
  return {ErrorKind::kData, std::string(what), format("{} at byte {}", path, offset),
          "write the file again, or have damaged records skipped"};
}

}  // namespace

void RecordWriter::append(std::span<const std::byte> data) {
  std::array<std::byte, kHeaderBytes> header{};
  store<std::uint64_t>(header.data(), data.size());
  store(header.data() + 8, masked_crc32c(std::span(header).first(8)));
  std::array<std::byte, kFooterBytes> footer{};
  store(footer.data(), masked_crc32c(data));
  file_.append(header);
  file_.append(data);
  file_.append(footer);
}

RecordReader::RecordReader(const std::filesystem::path& path, Options options) : file_(path), options_(options) {
  file_.expect_sequential_reads();
}

std::optional<std::span<const std::byte>> RecordReader::next() {
  while (offset_ < file_.bytes().size()) {
    const std::uint64_t start = offset_;
    Frame frame = frame_at(file_.bytes(), start);
    if (frame.damage == Damage::kNone) {
      offset_ = end_of(start, frame);
      if (frame.has_good_data()) return frame.data;
      frame.damage = Damage::kData;
    }
    if (!options_.skip_damaged) throw damaged(file_.path(), start, frame.damage);
    ++skipped_;
    if (frame.damage != Damage::kData) offset_ = find_frame(file_.bytes(), start + 1);
  }
  return std::nullopt;
}

RecordIndex::RecordIndex(const std::filesystem::path& path, Options options) : file_(path) {
  const std::span<const std::byte> bytes = file_.bytes();
  for (std::uint64_t offset = 0; offset < bytes.size();) {
    const Frame frame = frame_at(bytes, offset);
    if (frame.damage == Damage::kNone) {
      const bool keep = !options.skip_damaged || frame.has_good_data();
      if (keep) offsets_.push_back(offset);
      if (!keep) ++skipped_;
      offset = end_of(offset, frame);
    } else {
      if (!options.skip_damaged) throw damaged(path, offset, frame.damage);
      ++skipped_;
      offset = find_frame(bytes, offset + 1);
    }
  }
}

std::span<const std::byte> RecordIndex::record(std::size_t i) const {
  if (i >= offsets_.size()) {
    throw Error(ErrorKind::kInternal, format("record {} of {} is asked for", i, offsets_.size()), path().string(), "");
  }
  const Frame frame = frame_at(file_.bytes(), offsets_[i]);
  if (frame.damage != Damage::kNone) throw damaged(path(), offsets_[i], frame.damage);
  if (!frame.has_good_data()) throw damaged(path(), offsets_[i], Damage::kData);
  return frame.data;
}

}  // namespace base
