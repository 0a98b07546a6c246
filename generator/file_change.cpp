#include "generator/file_change.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/disk.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

/// A project from elsewhere may hold a link where its folder should be.
void check_inside(const fs::path& root, const std::string& path) {
  const fs::path relative(path);
  const bool climbs = std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; });
  const fs::path folder = fs::weakly_canonical((root / relative).parent_path());
  const fs::path inside = fs::canonical(root);
  const bool is_inside = folder == inside || folder.generic_string().starts_with(inside.generic_string() + "/");
  if (relative.is_relative() && !climbs && is_inside) return;
  throw base::Error(base::ErrorKind::kUsage, "a path leads out of the project", path,
                    "remove the link that leads there");
}

/// The new texts, written under other names; those that were not put in place are removed in the end.
class Drafts {
 public:
  ~Drafts() {
    std::error_code ignored;
    for (const auto& [draft, path] : drafts_) fs::remove(draft, ignored);
  }

  void write(const fs::path& path, const FileChange& change) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) throw disk_error(path.parent_path(), error.value());
    const fs::path draft = path.parent_path() / base::format(".{}.scaffold-{}", path.filename().string(), getpid());
    fs::remove(draft, error);
    drafts_.emplace_back(draft, path);
    write_new_file(draft, change.text, change.is_executable);
    keep_mode(path, draft, change.is_executable);
  }

  void put_in_place() {
    for (const auto& [draft, path] : drafts_) {
      if (std::rename(draft.c_str(), path.c_str()) != 0) throw disk_error(path, errno);
    }
    drafts_.clear();
  }

 private:
  /// A file that only its owner may read stays so.
  static void keep_mode(const fs::path& path, const fs::path& draft, bool is_executable) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (!fs::is_regular_file(status)) return;
    const fs::perms runs = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    const fs::perms mode = status.permissions() & ~runs;
    fs::permissions(draft, is_executable ? mode | (fs::status(draft).permissions() & runs) : mode, error);
  }

  std::vector<std::pair<fs::path, fs::path>> drafts_;
};

}  // namespace

void apply_changes(const fs::path& root, const std::vector<FileChange>& changes) {
  for (const FileChange& change : changes) check_inside(root, change.path);
  Drafts drafts;
  for (const FileChange& change : changes) {
    if (!change.removes) drafts.write(root / change.path, change);
  }
  sync_file_system(root);
  for (const FileChange& change : changes) {
    if (!change.removes) continue;
    std::error_code error;
    fs::path path = root / change.path;
    fs::remove(path, error);
    if (error) throw disk_error(path, error.value());
    for (path = path.parent_path(); path != root && fs::is_empty(path, error) && !error; path = path.parent_path()) {
      fs::remove(path, error);
    }
  }
  drafts.put_in_place();
}

}  // namespace generator
