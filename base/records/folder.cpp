#include "base/records/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log/format.h"

namespace base {
namespace {

namespace fs = std::filesystem;

// What a hidden folder is: being written; on its way out; or the old one of two that change places.
constexpr std::string_view kPartial = "partial";
constexpr std::string_view kRemoved = "removed";
constexpr std::string_view kReplaced = "replaced";

fs::path hidden(const fs::path& folder, std::string_view why) {
  return folder.parent_path() / format(".{}.{}-{}", folder.filename(), why, ::getpid());
}

struct Leftover {
  fs::path folder;
  std::string name;  // it had, or was to have: step-400
  bool replaced;
};

// ".step-400.partial-4711" and its like; nothing for all other names.
std::optional<Leftover> as_leftover(const fs::path& folder) {
  const std::string text = folder.filename().string();
  const std::size_t dash = text.rfind('-');
  const std::size_t dot = text.rfind('.', dash);
  if (text.empty() || text[0] != '.' || dash == std::string::npos || dot == std::string::npos || dot < 2) return {};
  const std::string_view why = std::string_view(text).substr(dot + 1, dash - dot - 1);
  const std::string_view pid = std::string_view(text).substr(dash + 1);
  if (why != kPartial && why != kRemoved && why != kReplaced) return {};
  if (pid.empty() || !std::ranges::all_of(pid, [](char c) { return c >= '0' && c <= '9'; })) return {};
  return Leftover{folder, text.substr(1, dot - 1), why == kReplaced};
}

void rename_folder(const FolderKind& kind, const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw folder_error(kind, "the folder cannot be renamed", to, errno);
}

void remove_quietly(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace

Error folder_error(const FolderKind& kind, std::string_view what, const fs::path& path, int reason) {
  const bool full = reason == ENOSPC || reason == EDQUOT;
  const bool refused = reason == EACCES || reason == EPERM || reason == EROFS;
  const char* fix = full      ? "free some space"
                    : refused ? "check who may write there"
                              : "check the disk and the limits of the process";
  return {kind.error, std::string(what), format("{} ({})", path, std::strerror(reason)),
          format("{}: the {} before is whole", fix, kind.noun)};
}

void sync_folder(const FolderKind& kind, const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw folder_error(kind, "the folder cannot be synced", folder, errno);
  const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL;  // EINVAL: a file system that does not do that
  const int reason = errno;
  ::close(descriptor);
  if (failed) throw folder_error(kind, "the folder cannot be synced", folder, reason);
}

PartialFolder::PartialFolder(const FolderKind& kind, fs::path target) : kind_(kind), target_(std::move(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "a/step-400/"
  path_ = hidden(target_, kPartial);
  std::error_code error;
  const bool is_there = fs::exists(fs::symlink_status(target_, error));
  const bool ours = is_there && fs::is_directory(fs::symlink_status(target_)) &&
                    std::ranges::all_of(fs::directory_iterator(target_), kind_.may_hold);
  if (is_there && !ours) {
    throw Error(kind_.error, format("what is there is no {} and will not be replaced", kind_.noun), target_.string(),
                "move it away, or save to another folder");
  }
  remove_quietly(path_);  // of a process of the same number, which was killed
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), error);
  if (error) throw folder_error(kind_, "the folder cannot be made", target_.parent_path(), error.value());
  if (!fs::create_directory(path_, error)) throw folder_error(kind_, "the folder cannot be made", path_, error.value());
}

PartialFolder::~PartialFolder() {
  remove_quietly(path_);  // nothing is there any more after publish()
}

void PartialFolder::publish() {
  sync_folder(kind_, path_);
  // Two folders cannot change places everywhere (not on NFS): the old one steps aside for a moment, and comes back with
  // remove_leftovers() if the process is killed within it.
  const fs::path old = hidden(target_, kReplaced);
  const bool replaces = fs::exists(target_);
  if (replaces) rename_folder(kind_, target_, old);
  try {
    rename_folder(kind_, path_, target_);
  } catch (...) {
    if (replaces) std::rename(old.c_str(), target_.c_str());
    throw;
  }
  sync_folder(kind_, target_.has_parent_path() ? target_.parent_path() : ".");
  if (replaces) remove_quietly(old);
}

void remove_folder(const FolderKind& kind, const fs::path& folder) {
  const fs::path away = hidden(folder, kRemoved);
  remove_quietly(away);
  rename_folder(kind, folder, away);
  std::error_code error;
  fs::remove_all(away, error);
  if (error) throw folder_error(kind, format("an old {} cannot be removed", kind.noun), away, error.value());
}

void remove_leftovers(const fs::path& parent) {
  std::vector<Leftover> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (auto leftover = as_leftover(entry->path())) found.push_back(std::move(*leftover));
  }
  for (const auto& [folder, name, replaced] : found) {
    const bool comes_back = replaced && !fs::exists(parent / name, error);
    if (!comes_back || std::rename(folder.c_str(), (parent / name).c_str()) != 0) remove_quietly(folder);
  }
}

std::optional<FolderLock> FolderLock::try_lock(const FolderKind& kind, const fs::path& folder) {
  const fs::path file = folder / ".lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw folder_error(kind, format("the {}s' folder cannot be written to", kind.noun), file, errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    return std::nullopt;
  }
  return FolderLock(descriptor);
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

}  // namespace base
