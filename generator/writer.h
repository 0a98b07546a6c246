// writer.h: files to disk: all of a new project, or nothing.
#ifndef GENERATOR_WRITER_H_
#define GENERATOR_WRITER_H_

#include <string>
#include <vector>

#include "generator/renderer.h"

namespace generator {

struct WriteOptions {
  bool uses_git = true;  // a repository with a first commit, unless git is missing or the folder is in a work tree
  std::string message = "New project";  // of that commit
};

/// Writes a project's folder, which must not be there yet, or be empty. It is made under another name beside it, synced
/// and then renamed, so that an error, a full disk or a kill leaves no half of it. After a kill a hidden folder stays,
/// which the next project in the same place removes. Errors: of the usage kind if the folder does not do, of the device
/// kind if the disk does not.
void write_project(const std::string& folder, const std::vector<RenderedFile>& files, const WriteOptions& options);

/// What write_project() would refuse before it writes anything.
void check_target(const std::string& folder);

/// What would be written, for --dry-run: the tree with the size of each file in bytes.
std::string describe_tree(const std::string& folder, const std::vector<RenderedFile>& files);

}  // namespace generator

#endif  // GENERATOR_WRITER_H_
