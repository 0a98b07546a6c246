#include "base/records/sharded_writer.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::string_view kExtension = ".tfrecord";

Error folder_error(std::string_view what, const std::filesystem::path& path, const std::error_code& error) {
  return {ErrorKind::kData, std::string(what), format("{} ({})", path, error.message()),
          "check that the folder may be written"};
}

// "train-00000-of-00003.tfrecord" is a shard of "train", and of no other name.
bool is_shard_of(std::string_view name, std::string_view file) {
  const auto skip = [&](std::string_view text) {
    const bool fits = file.starts_with(text);
    if (fits) file.remove_prefix(text.size());
    return fits;
  };
  const auto skip_digits = [&] {
    const std::size_t digits = std::min(file.find_first_not_of("0123456789"), file.size());
    file.remove_prefix(digits);
    return digits >= 5;
  };
  return skip(name) && skip("-") && skip_digits() && skip("-of-") && skip_digits() && file == kExtension;
}

}  // namespace

ShardedWriter::ShardedWriter(std::filesystem::path folder, std::string name, ShardOptions options)
    : folder_(std::move(folder)), name_(std::move(name)), options_(options) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw folder_error("the folder cannot be created", folder_, error);
  std::filesystem::directory_iterator entries(folder_, error);
  if (error) throw folder_error("the folder cannot be read", folder_, error);
  for (const std::filesystem::directory_entry& entry : entries) {
    if (is_shard_of(name_, entry.path().filename().string())) {
      throw Error(ErrorKind::kData, "there are files of that name already", entry.path().string(),
                  "remove them first, or write into another folder");
    }
  }
  start_shard();
}

ShardedWriter::~ShardedWriter() {
  remove_files();
}

void ShardedWriter::append(std::span<const std::byte> data) {
  const std::uint64_t bytes = shard_->bytes() + RecordWriter::kFrameBytes + data.size();
  const bool full = (options_.max_bytes > 0 && bytes > options_.max_bytes) ||
                    (options_.max_records > 0 && shard_records_ >= options_.max_records);
  if (full && shard_records_ > 0) {
    finish_shard();
    start_shard();
  }
  shard_->append(data);
  ++shard_records_;
  ++records_;
}

std::vector<std::filesystem::path> ShardedWriter::close() {
  finish_shard();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::filesystem::path name = folder_ / format("{}-{:05}-of-{:05}{}", name_, i, files_.size(), kExtension);
    std::error_code error;
    std::filesystem::rename(files_[i], name, error);
    if (error) throw folder_error("the file cannot be renamed", files_[i], error);
    files_[i] = name;
  }
  return std::exchange(files_, {});
}

void ShardedWriter::start_shard() {
  const std::filesystem::path temporary = folder_ / format(".{}-{:05}{}.partial", name_, files_.size(), kExtension);
  shard_.emplace(temporary);
  files_.push_back(temporary);
  shard_records_ = 0;
}

void ShardedWriter::finish_shard() {
  shard_->sync();
  shard_->close();
}

void ShardedWriter::remove_files() noexcept {
  std::error_code ignored;
  for (const std::filesystem::path& file : files_) std::filesystem::remove(file, ignored);
}

}  // namespace base
