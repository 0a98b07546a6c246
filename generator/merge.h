// merge.h: three versions of a project made into one by git itself, in a repository of its own: neither the user's
// index nor refs nor objects are touched.
#ifndef GENERATOR_MERGE_H_
#define GENERATOR_MERGE_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "generator/file_change.h"
#include "generator/git.h"
#include "generator/renderer.h"

namespace generator {

/// A path that both sides changed.
struct Conflict {
  std::string path;
  std::map<int, std::string> blobs;  // as git numbers them: 1 the common one, 2 the project's, 3 the templates'

  /// The author took the file away: it stays away, whatever the templates made of it.
  bool is_deleted_here() const { return blobs.contains(1) && !blobs.contains(2); }
  bool is_deleted_there() const { return blobs.contains(2) && !blobs.contains(3); }
};

class Merge {
 public:
  /// `base` and `next` are two renderings; the project is what is committed of the folder `root`, which may lie deep in
  /// its repository. That there is none is an error of the usage kind.
  Merge(const Git& git, const std::filesystem::path& root, const std::vector<RenderedFile>& base,
        const std::vector<RenderedFile>& next);
  ~Merge();
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;

  const std::vector<Conflict>& conflicts() const { return conflicts_; }
  /// What turns the project into the merged one, conflicts between git's markers.
  std::vector<FileChange> changes() const;
  /// The same as a unified diff.
  std::string diff() const;
  /// What the templates changed in a file, as a unified diff.
  std::string upstream_change(const Conflict& conflict) const;

 private:
  void make_repository(const std::filesystem::path& root);
  void merge();

  const Git& git_;
  std::string repository_;
  std::string project_;  // the tree that is committed
  std::string merged_;   // the tree that comes out
  std::vector<Conflict> conflicts_;
};

/// Uncommitted changes in the folder, files that git does not know included, are an error of the usage kind.
void check_committed(const Git& git, const std::filesystem::path& root);

}  // namespace generator

#endif  // GENERATOR_MERGE_H_
