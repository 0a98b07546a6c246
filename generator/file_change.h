// file_change.h: changes to files of a project that is there, made in one go.
#ifndef GENERATOR_FILE_CHANGE_H_
#define GENERATOR_FILE_CHANGE_H_

#include <filesystem>
#include <string>
#include <vector>

namespace generator {

struct FileChange {
  std::string path;  // in the project
  std::string text = {};
  bool is_executable = false;
  bool removes = false;
};

/// Writes every new text beside its file first, and only then puts them in place, each by a rename: a full disk leaves
/// the project as it was. A path that a link leads out of the project is an error of the usage kind. Folders that
/// become empty go too.
void apply_changes(const std::filesystem::path& root, const std::vector<FileChange>& changes);

}  // namespace generator

#endif  // GENERATOR_FILE_CHANGE_H_
