// update.h: newer templates, or other answers, for a project that its author has edited since: merged by git.
#ifndef GENERATOR_UPDATE_H_
#define GENERATOR_UPDATE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "generator/answers.h"
#include "generator/project.h"
#include "generator/renderer.h"

namespace generator {

enum class ConflictStyle {
  kInline,  // both versions in the file, between git's markers
  kReject,  // the author's version in the file, the template's change beside it in FILE.rej
};

struct UpdateOptions {
  std::string templates = {};  // a folder; empty: what the project was made from
  GivenAnswers answers = {};   // those to change
  ConflictStyle conflict = ConflictStyle::kInline;
};

/// How a file of the templates stands, between the last rendering, the project and the next rendering.
enum class FileState { kUntouched, kEdited, kChangedUpstream, kBoth };

struct FileReport {
  std::string path;
  FileState state = FileState::kUntouched;
};

/// What an update is made from.
struct UpdatePlan {
  Project project;
  std::vector<RenderedFile> next;    // the rendering by the newer templates
  std::vector<RenderedFile> record;  // the two files that record it
  std::vector<FileReport> reports;   // of every file in the last or the next rendering
  bool is_current = false;           // an update would change nothing, not even the record
};
UpdatePlan plan_update(const std::filesystem::path& folder, const UpdateOptions& options);

struct UpdateResult {
  std::string text;   // for the user
  int exit_code = 0;  // 2: something is left to do
};

/// Merges; conflicts are left to the user. Uncommitted changes in the project's folder are an error of the usage kind.
UpdateResult update_project(const std::filesystem::path& folder, const UpdateOptions& options);

/// The state of each file; something is left to do if an update would change anything, or has left conflicts.
UpdateResult check_project(const std::filesystem::path& folder, const UpdateOptions& options);

/// The unified diff that update_project() would make of what is committed; empty if none.
std::string diff_project(const std::filesystem::path& folder, const UpdateOptions& options);

}  // namespace generator

#endif  // GENERATOR_UPDATE_H_
