#include "generator/update.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/file_change.h"
#include "generator/git.h"
#include "generator/json.h"
#include "generator/merge.h"
#include "generator/template_set.h"
#include "generator/version.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

using ByPath = std::map<std::string, RenderedFile>;

ByPath by_path(const std::vector<RenderedFile>& files) {
  ByPath result;
  for (const RenderedFile& file : files) result.emplace(file.path, file);
  return result;
}

std::optional<RenderedFile> read_file(const fs::path& root, const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(root / path, ignored);
  std::ifstream file(root / path, std::ios::binary);
  if (!fs::is_regular_file(status) || !file) return std::nullopt;
  const bool is_executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return RenderedFile{path, std::string{std::istreambuf_iterator<char>(file), {}}, is_executable};
}

std::optional<RenderedFile> find(const ByPath& files, const std::string& path) {
  const auto found = files.find(path);
  return found != files.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<FileReport> report_on(const Project& project, const std::vector<RenderedFile>& next) {
  const ByPath before = by_path(project.rendered);
  const ByPath after = by_path(next);
  std::set<std::string> paths;
  for (const auto& [path, file] : before) paths.insert(path);
  for (const auto& [path, file] : after) paths.insert(path);
  std::vector<FileReport> reports;
  for (const std::string& path : paths) {
    const std::optional<RenderedFile> old = find(before, path);
    const bool is_edited = read_file(project.root, path) != old;
    const bool is_changed = find(after, path) != old;
    reports.push_back({path, is_edited ? (is_changed ? FileState::kBoth : FileState::kEdited)
                                       : (is_changed ? FileState::kChangedUpstream : FileState::kUntouched)});
  }
  return reports;
}

/// The same answers, in whatever order and layout.
bool is_same(const Json& a, const Json& b) {
  if (a.kind != b.kind || a.text != b.text || a.boolean != b.boolean) return false;
  if (a.items.size() != b.items.size() || a.members.size() != b.members.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!is_same(a.items[i], b.items[i])) return false;
  }
  return std::all_of(a.members.begin(), a.members.end(), [&](const auto& member) {
    const Json* const other = b.find(member.first);
    return other != nullptr && is_same(member.second, *other);
  });
}

std::string_view name_of(FileState state) {
  switch (state) {
    case FileState::kUntouched:
      return "untouched";
    case FileState::kEdited:
      return "edited";
    case FileState::kChangedUpstream:
      return "changed upstream";
    case FileState::kBoth:
      break;
  }
  return "both";
}

std::string text_of(const std::vector<FileReport>& reports) {
  std::string text;
  for (const FileReport& report : reports) text += base::format("{:<16}  {}\n", name_of(report.state), report.path);
  return text;
}

Git find_git() {
  std::optional<Git> git = Git::find();
  if (!git) throw base::Error(base::ErrorKind::kConfig, "git is needed", "", "apt-get install git");
  return *git;
}

/// Takes what the conflict is about out of the changes, or puts more in; returns what to tell.
std::string settle(const Conflict& conflict, const Merge& merge, ConflictStyle style,
                   std::vector<FileChange>& changes) {
  const auto drop = [&] {
    changes.erase(
        std::remove_if(changes.begin(), changes.end(), [&](const auto& one) { return one.path == conflict.path; }),
        changes.end());
  };
  if (conflict.is_deleted_here()) {
    drop();
    return "stays deleted";
  }
  if (conflict.is_deleted_there()) return "stays, though the templates no longer have it";
  if (style == ConflictStyle::kInline) return "conflict: both versions are in it, between <<<<<<< and >>>>>>>";
  drop();
  const std::string path = conflict.path + ".rej";
  changes.push_back({path, merge.upstream_change(conflict)});
  return "conflict: the templates' change is in " + path;
}

/// A file that git ignores does not show as uncommitted, and yet would be lost.
void check_nothing_hidden(const Git& git, const fs::path& root, const std::vector<FileChange>& changes) {
  const std::string list = git.output(root.string(), {"ls-files", "-z", "--", "."});
  std::set<std::string> tracked;
  for (std::size_t start = 0; start < list.size(); start = list.find('\0', start) + 1)
    tracked.emplace(list.c_str() + start);
  for (const FileChange& change : changes) {
    std::error_code ignored;
    if (change.removes || tracked.contains(change.path) || !fs::exists(fs::symlink_status(root / change.path, ignored)))
      continue;
    throw base::Error(base::ErrorKind::kUsage, "a file that git ignores is in the way", change.path, "move it away");
  }
}

/// Files of the project with both versions still in them or beside them, a line each. Only an update in a repository
/// leaves such files.
std::string unsettled(const fs::path& root) {
  const std::optional<Git> git = Git::find();
  if (!git) return {};
  const std::string folder = root.string();
  return git->run(folder, {"grep", "--untracked", "-lE", "^(<<<<<<< project|>>>>>>> templates)(:.*)?$"}).output +
         git->run(folder, {"grep", "--untracked", "-l", "^@@ ", "--", "*.rej"}).output;
}

UpdateResult current(const fs::path& root, const std::string& table = "") {
  const std::string left = unsettled(root);
  if (left.empty()) return {table + "Up to date.", 0};
  return {table + "Up to date, but for conflicts of an update that are not settled yet:\n" +
              left.substr(0, left.size() - 1),
          2};
}

/// The templates in this binary are older than those which wrote the project: an update would be a step back.
void check_age(const Project& project, const TemplateSet& set) {
  if (set.origin != "builtin" || parse_version(project.scaffold_version) <= parse_version(SCAFFOLD_VERSION)) return;
  throw base::Error(base::ErrorKind::kUsage, "the project was written by a newer scaffold", project.scaffold_version,
                    "install that one; this is " SCAFFOLD_VERSION);
}

}  // namespace

UpdatePlan plan_update(const fs::path& folder, const UpdateOptions& options) {
  UpdatePlan plan;
  plan.project = find_project(folder);
  const TemplateSet set = load_templates(options.templates.empty() ? plan.project.template_origin : options.templates);
  check_age(plan.project, set);
  const Answers answers = plan.project.answers_for(set, options.answers);
  plan.next = render_project(set, answers);
  plan.record = record_of(set, answers, plan.next);
  plan.reports = report_on(plan.project, plan.next);
  const Json record = parse_json(plan.record.front().text, kRecordFile);
  plan.is_current = plan.next == plan.project.rendered && plan.project.scaffold_version == SCAFFOLD_VERSION &&
                    plan.project.template_origin == set.origin && plan.project.template_version == set.version &&
                    is_same(plan.project.answers, *record.find("answers"));
  return plan;
}

UpdateResult update_project(const fs::path& folder, const UpdateOptions& options) {
  const UpdatePlan plan = plan_update(folder, options);
  if (plan.is_current) return current(plan.project.root);
  const fs::path& root = plan.project.root;
  const Git git = find_git();
  check_committed(git, root);
  const Merge merge(git, root, plan.project.rendered, plan.next);
  std::vector<FileChange> changes = merge.changes();
  UpdateResult result{text_of(plan.reports)};
  for (const Conflict& conflict : merge.conflicts()) {
    result.text += conflict.path + ": " + settle(conflict, merge, options.conflict, changes) + "\n";
    if (!conflict.is_deleted_here() && !conflict.is_deleted_there()) result.exit_code = 2;
  }
  check_nothing_hidden(git, root, changes);
  const std::size_t count = changes.size();
  for (const RenderedFile& file : plan.record) changes.push_back({file.path, file.text, false});
  apply_changes(root, changes);
  result.text +=
      base::format("Files changed: {}. `git status` and `git diff` show how, `git stash -u` takes it back.", count);
  return result;
}

UpdateResult check_project(const fs::path& folder, const UpdateOptions& options) {
  const UpdatePlan plan = plan_update(folder, options);
  const std::string table = text_of(plan.reports);
  if (plan.is_current) return current(plan.project.root, table);
  return {table + "`scaffold update` would change the project.", 2};
}

std::string diff_project(const fs::path& folder, const UpdateOptions& options) {
  const UpdatePlan plan = plan_update(folder, options);
  const Git git = find_git();
  std::string diff = Merge(git, plan.project.root, plan.project.rendered, plan.next).diff();
  if (diff.ends_with('\n')) diff.pop_back();
  return diff;
}

}  // namespace generator
