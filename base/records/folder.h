// folder.h: folders that appear and vanish in one step, whatever kills the process in between.
#ifndef BASE_RECORDS_FOLDER_H_
#define BASE_RECORDS_FOLDER_H_

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/log/error.h"

namespace base {

/// What such folders hold, for messages and for who replaces one.
struct FolderKind {
  ErrorKind error;
  std::string_view noun;                                      // "checkpoint"
  bool (*may_hold)(const std::filesystem::directory_entry&);  // a folder with anything else in it is somebody else's
};

/// An Error about `path` with the system's reason, and with a fix that fits it.
Error folder_error(const FolderKind& kind, std::string_view what, const std::filesystem::path& path, int reason);

/// What was written into the folder is on the disk, if it is synced itself.
void sync_folder(const FolderKind& kind, const std::filesystem::path& folder);

/// A hidden folder beside `target`, `.step-400.partial-4711` for process 4711: what is written into it becomes
/// `target` with publish(), or is removed with the object.
class PartialFolder {
 public:
  /// A `target` that is there is replaced at publish() if it is of this kind, whole or not; anything else is an Error.
  PartialFolder(const FolderKind& kind, std::filesystem::path target);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Syncs the folder (its files must be synced already), renames it and syncs the parent.
  void publish();

 private:
  FolderKind kind_;
  std::filesystem::path target_;
  std::filesystem::path path_;
};

/// Hides the folder under another name, then removes it: a kill leaves no half of it in sight.
void remove_folder(const FolderKind& kind, const std::filesystem::path& folder);

/// Removes what killed processes left hidden in `parent`. Only for the one that holds the lock: the leftovers of a
/// process that still writes look the same.
void remove_leftovers(const std::filesystem::path& parent);

/// Whoever holds it is the only one, among all processes, that writes into a folder. The system frees it when the
/// process ends, however it does.
class FolderLock {
 public:
  /// Nothing if another one holds it. Where there is no locking (some network file systems) everybody gets it. A folder
  /// that cannot be written to is an Error.
  static std::optional<FolderLock> try_lock(const FolderKind& kind, const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace base

#endif  // BASE_RECORDS_FOLDER_H_
