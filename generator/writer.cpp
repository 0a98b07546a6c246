#include "generator/writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/disk.h"
#include "generator/git.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStagingPrefix = ".scaffold-staging-";

fs::path parent_of(const fs::path& folder) {
  return folder.has_parent_path() ? folder.parent_path() : fs::path(".");
}

/// "demo/" and "demo" are the same.
fs::path without_slash(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// A hidden folder beside the target, gone in the end whatever happened. It is locked as long as its process lives.
class Staging {
 public:
  explicit Staging(const fs::path& parent) {
    remove_abandoned(parent);
    path_ = make_temporary_folder(parent, base::format("{}{}", kStagingPrefix, getpid()));
    lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (lock_ >= 0) close(lock_);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const fs::path& path() const { return path_; }

 private:
  /// What a killed process left. A process in another container does not show here, but its lock does.
  static void remove_abandoned(const fs::path& parent) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(kStagingPrefix) || entry.is_symlink(ignored)) continue;
      pid_t pid = 0;
      const char* const start = name.data() + kStagingPrefix.size();
      if (std::from_chars(start, name.data() + name.size(), pid).ec != std::errc{} || pid <= 0) continue;
      if (kill(pid, 0) == 0 || errno != ESRCH) continue;
      const int lock = open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (lock < 0) continue;
      if (flock(lock, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
      close(lock);
    }
  }

  fs::path path_;
  int lock_ = -1;
};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw disk_error(folder, error.value());
}

/// Within another repository: it is that one's user who decides what becomes of a new folder. (git itself would take
/// longer to say so than all files take to be written.)
bool is_in_work_tree(const fs::path& parent) {
  std::error_code ignored;
  for (fs::path at = fs::absolute(parent, ignored).lexically_normal();; at = at.parent_path()) {
    if (fs::exists(at / ".git", ignored)) return true;
    if (at == at.root_path() || at.empty()) return false;
  }
}

}  // namespace

void check_target(const std::string& folder) {
  const fs::path target = without_slash(folder);
  std::error_code error;
  if (!fs::is_directory(parent_of(target), error)) {
    throw base::Error(base::ErrorKind::kUsage, "there is no folder to put the project into", parent_of(target).string(),
                      "make it first: mkdir -p " + parent_of(target).string());
  }
  const fs::file_status status = fs::symlink_status(target, error);
  if (!fs::exists(status)) return;
  const bool is_empty_folder = fs::is_directory(status) && fs::is_empty(target, error);
  if (!is_empty_folder) {
    throw base::Error(base::ErrorKind::kUsage, "there is something already", target.string(),
                      "choose another folder; nothing is ever overwritten");
  }
  if (fs::equivalent(target, fs::current_path(error), error)) {
    // The folder is replaced by another of that name, and the shell would stay in the old one.
    throw base::Error(base::ErrorKind::kUsage, "the project's folder is the one you are in", target.string(),
                      "run it one folder up");
  }
}

void write_project(const std::string& folder, const std::vector<RenderedFile>& files, const WriteOptions& options) {
  check_target(folder);
  const fs::path target = without_slash(folder);
  const fs::path parent = parent_of(target);
  const Staging staging(parent);
  const fs::path project = staging.path() / "project";
  make_folder(project);
  std::set<fs::path> made;
  for (const RenderedFile& file : files) {
    const fs::path path = project / file.path;
    if (made.insert(path.parent_path()).second) make_folder(path.parent_path());
    write_new_file(path, file.text, file.is_executable);
  }
  const std::optional<Git> git = options.uses_git ? Git::find() : std::nullopt;
  if (git && !is_in_work_tree(parent)) commit_all(*git, project.string(), options.message);
  sync_file_system(project);  // so that the rename never reaches the disk before what is renamed
  if (std::rename(project.c_str(), target.c_str()) != 0) throw disk_error(target, errno);
}

std::string describe_tree(const std::string& folder, const std::vector<RenderedFile>& files) {
  std::string text = without_slash(folder).string() + "/\n";
  std::size_t total = 0;
  fs::path open;  // the folder that the last line is in
  for (const RenderedFile& file : files) {
    const fs::path path(file.path);
    fs::path above;
    for (const fs::path& part : path.parent_path()) {
      above /= part;
      const std::string known = open.generic_string() + "/";
      if (!known.starts_with(above.generic_string() + "/")) {
        text += std::string(2 * static_cast<std::size_t>(std::distance(above.begin(), above.end())), ' ') +
                part.string() + "/\n";
      }
    }
    open = path.parent_path();
    const auto depth = static_cast<std::size_t>(std::distance(path.begin(), path.end()));
    const std::string name = std::string(2 * depth, ' ') + path.filename().string() + (file.is_executable ? "*" : "");
    text += base::format("{:<48} {:>8}\n", name, file.text.size());
    total += file.text.size();
  }
  return text + base::format("{} files, {} bytes", files.size(), total);
}

}  // namespace generator
