#include "generator/merge.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/disk.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_at_nul(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\0', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < line.size();) {
    const std::size_t end = std::min(line.find(' ', start), line.size());
    words.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

/// A commit as git fast-import reads it; its files follow.
std::string commit_header(const std::string& branch, int mark, bool has_parent) {
  return base::format(
      "commit refs/heads/{}\nmark :{}\ncommitter scaffold <scaffold@localhost> 0 +0000\ndata 0\n{}deleteall\n", branch,
      mark, has_parent ? "from :1\n" : "");
}

std::string files_of(const std::vector<RenderedFile>& files) {
  std::string text;
  for (const RenderedFile& file : files) {
    text += base::format("M {} inline {}\ndata {}\n", file.is_executable ? "100755" : "100644", file.path,
                         file.text.size());
    text += file.text + "\n";
  }
  return text;
}

/// The texts of blobs, by one git for all.
std::map<std::string, std::string> read_blobs(const Git& git, const std::string& repository,
                                              const std::vector<std::string>& names) {
  std::string input;
  for (const std::string& name : names) input += name + "\n";
  const std::string output = names.empty() ? "" : git.output(repository, {"cat-file", "--batch"}, input);
  std::map<std::string, std::string> blobs;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t newline = std::min(output.find('\n', at), output.size());
    const std::vector<std::string> words = words_of(output.substr(at, newline - at));  // "<name> blob <size>"
    std::size_t size = 0;
    if (words.size() != 3 ||
        std::from_chars(words[2].data(), words[2].data() + words[2].size(), size).ec != std::errc{}) {
      throw base::Error(base::ErrorKind::kConfig, "git cat-file failed", words.empty() ? "" : words.front(),
                        "check the repository: git fsck");
    }
    blobs[words[0]] = output.substr(newline + 1, size);
    at = newline + 1 + size + 1;
  }
  return blobs;
}

}  // namespace

Merge::Merge(const Git& git, const fs::path& root, const std::vector<RenderedFile>& base,
             const std::vector<RenderedFile>& next)
    : git_(git) {
  const ProcessResult tree = git_.run(root.string(), {"rev-parse", "--verify", "--quiet", "HEAD:./"});
  if (!tree.failure.empty()) {
    throw base::Error(base::ErrorKind::kUsage, "the project is in no git repository, or not committed", root.string(),
                      "git init && git add --all && git commit");
  }
  project_ = tree.output.substr(0, tree.output.find('\n'));
  make_repository(root);
  std::string stream = commit_header("base", 1, false) + files_of(base);
  stream += commit_header("project", 2, true) + "M 040000 " + project_ + " \"\"\n";
  stream += commit_header("templates", 3, true) + files_of(next);
  git_.output(repository_, {"fast-import", "--quiet"}, stream);
  merge();
}

Merge::~Merge() {
  std::error_code ignored;
  if (!repository_.empty()) fs::remove_all(repository_, ignored);
}

/// Bare and empty, but it sees the objects of the project's.
void Merge::make_repository(const fs::path& root) {
  const std::string format = git_.line(root.string(), {"rev-parse", "--show-object-format"});
  const std::string objects =
      git_.line(root.string(), {"rev-parse", "--path-format=absolute", "--git-path", "objects"});
  repository_ = make_temporary_folder(fs::temp_directory_path(), "scaffold-merge").string();
  git_.output(repository_, {"init", "-q", "--bare", "--template=", "--object-format=" + format, "."});
  fs::create_directories(fs::path(repository_) / "objects" / "info");
  write_new_file(fs::path(repository_) / "objects" / "info" / "alternates", objects + "\n", false);
}

void Merge::merge() {
  const ProcessResult result = git_.run(repository_, {"merge-tree", "--write-tree", "-z", "project", "templates"});
  if (result.exit_code != 0 && result.exit_code != 1) {
    const bool is_old = result.complaint.find("usage") != std::string::npos;
    throw base::Error(base::ErrorKind::kConfig, "git merge-tree failed", result.complaint,
                      is_old ? "git 2.38 or newer is needed" : "see what git says");
  }
  const std::vector<std::string> parts = split_at_nul(result.output);
  merged_ = parts.empty() ? project_ : parts.front();
  // Then, for each conflict, "<mode> <blob> <stage>\t<path>"; an empty part ends them, and messages follow.
  for (std::size_t i = 1; i < parts.size() && !parts[i].empty(); ++i) {
    const std::size_t tab = parts[i].find('\t');
    const std::vector<std::string> words = words_of(parts[i].substr(0, tab));
    if (tab == std::string::npos || words.size() != 3) continue;
    const std::string path = parts[i].substr(tab + 1);
    if (conflicts_.empty() || conflicts_.back().path != path) conflicts_.push_back({path, {}});
    conflicts_.back().blobs[words[2].front() - '0'] = words[1];
  }
}

std::vector<FileChange> Merge::changes() const {
  const std::vector<std::string> parts = split_at_nul(
      git_.output(repository_, {"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", project_, merged_}));
  std::vector<FileChange> changes;
  std::vector<std::string> blobs;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const std::vector<std::string> words = words_of(parts[i]);  // ":<old mode> <new mode> <old> <new> <status>"
    const std::string& mode = words.at(1);
    if (mode != "000000" && mode != "100644" && mode != "100755") {
      throw base::Error(base::ErrorKind::kUsage, "the templates and a link have one path", parts[i + 1],
                        "rename the link");
    }
    changes.push_back({parts[i + 1], words.at(3), mode == "100755", mode == "000000"});
    if (mode != "000000") blobs.push_back(words.at(3));
  }
  const std::map<std::string, std::string> texts = read_blobs(git_, repository_, blobs);
  for (FileChange& change : changes) {
    if (!change.removes) change.text = texts.at(change.text);
    if (change.removes) change.text.clear();
  }
  return changes;
}

std::string Merge::diff() const {
  return git_.output(repository_, {"diff", "--no-color", "--no-ext-diff", project_, merged_});
}

std::string Merge::upstream_change(const Conflict& conflict) const {
  const std::string empty = git_.line(repository_, {"hash-object", "-w", "--stdin"});
  const auto blob = [&](int stage) { return conflict.blobs.contains(stage) ? conflict.blobs.at(stage) : empty; };
  const std::string text = git_.output(repository_, {"diff", "--no-color", "--no-ext-diff", blob(1), blob(3)});
  const std::size_t start = text.find("\n@@ ");  // before it git names the blobs
  if (start == std::string::npos) return "";
  return base::format("--- {}\n+++ {}", conflict.path, conflict.path) + text.substr(start);
}

void check_committed(const Git& git, const fs::path& root) {
  const ProcessResult status =
      git.run(root.string(), {"status", "--porcelain", "-z", "--untracked-files=all", "--", "."});
  if (!status.failure.empty()) {
    throw base::Error(base::ErrorKind::kUsage, "the project is in no git repository", root.string(),
                      "git init && git add --all && git commit");
  }
  if (status.output.empty()) return;
  const std::vector<std::string> parts = split_at_nul(status.output);
  throw base::Error(base::ErrorKind::kUsage, "there are uncommitted changes", parts.front().substr(3),
                    "commit or stash them, so that an update can be taken back");
}

}  // namespace generator
