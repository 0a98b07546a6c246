#include "generator/template_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/text.h"
#include "generator/embedded_files.h"
#include "generator/project_path.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 2000;
constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::size_t kLargestSet = std::size_t{16} << 20;
constexpr int kDeepestFolder = 16;

[[noreturn]] void refuse(const std::string& what, const std::string& path, const std::string& fix) {
  throw base::Error(base::ErrorKind::kConfig, what, path, fix);
}

std::string words_for(int error) {
  return std::generic_category().message(error);
}

/// Not through a link, even one that took the file's place a moment ago, and not from a pipe without end.
std::string read_text(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    refuse("the template cannot be read (" + words_for(errno) + ")", path.string(), "check that this user may read it");
  }
  std::string text;
  struct stat status {};
  const bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  ssize_t count = 0;
  if (is_file) {
    text.resize(std::min(static_cast<std::size_t>(status.st_size), kLargestFile) + 1);
    std::size_t size = 0;
    while (size < text.size() && (count = read(descriptor, text.data() + size, text.size() - size)) > 0) {
      size += static_cast<std::size_t>(count);
    }
    text.resize(size);
  }
  close(descriptor);
  if (!is_file) refuse("the template is no plain file", path.string(), "remove it");
  if (count < 0) refuse("the template cannot be read", path.string(), "check the disk");
  if (text.size() > kLargestFile) refuse("the template is larger than 1 MiB", path.string(), "leave it out of the set");
  // visible_text() spells out what is no text: bytes that are not UTF-8 and control characters.
  if (base::visible_text(text) != text)
    refuse("the template is no text in UTF-8", path.string(), "leave it out of the set");
  return text;
}

}  // namespace

TemplateFiles TemplateFiles::embedded() {
  TemplateFiles files;
  files.prefix_ = "templates/";
  for (const EmbeddedFile& file : embedded_files()) files.texts_.emplace(file.path, file.text);
  return files;
}

TemplateFiles TemplateFiles::of_folder(const std::string& folder) {
  TemplateFiles files;
  const fs::path root(folder);
  files.prefix_ = (root / "").string();
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    refuse("there is no folder of templates", folder, "give a folder that has a template.json in it");
  }
  std::size_t size = 0;
  fs::recursive_directory_iterator entries(root, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::path path = entries->path();
    const std::string relative = path.lexically_relative(root).generic_string();
    if (relative == ".git") {  // a folder, or a file in a work tree
      entries.disable_recursion_pending();
      continue;
    }
    const std::string objection = objection_to_path(relative);
    if (!objection.empty()) refuse("the template's path does not do: " + objection, path.string(), "rename it");
    if (entries->is_symlink(error)) refuse("a link in a set of templates", path.string(), "put the file itself there");
    if (entries.depth() > kDeepestFolder) refuse("folders nested too deeply", path.string(), "flatten the set");
    if (entries->is_directory(error)) continue;
    const std::string& text = files.owned_[relative] = read_text(path);
    files.texts_.emplace(relative, text);
    size += text.size();
    if (files.owned_.size() > kMostFiles || size > kLargestSet) {
      refuse(base::format("the set has more than {} files or 16 MiB", kMostFiles), folder, "is this the right folder?");
    }
  }
  if (error) {
    refuse("the folder of templates cannot be read (" + error.message() + ")", folder,
           "check that this user may read it");
  }
  return files;
}

}  // namespace generator
