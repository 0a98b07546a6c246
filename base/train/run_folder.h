// run_folder.h: where a run leaves what it makes:
//
//     runs/<experiment>/<time>_<id>/  config.toml       every setting, as it was used
//                                     environment.json  the machine, the command, the versions
//                                     checkpoints/      step-N/
//                                     train/ validation/ predict/   TensorBoard's files, and what callbacks save
//                                     report.html       curves and figures on one page
//
#ifndef BASE_TRAIN_RUN_FOLDER_H_
#define BASE_TRAIN_RUN_FOLDER_H_

#include <filesystem>
#include <string>

#include "base/dist/process_group.h"

namespace base {

class RunFolder {
 public:
  /// Makes a new one; of two programs that start in the same moment each gets its own.
  static RunFolder create(const std::filesystem::path& runs, const std::string& experiment);
  /// Exactly this one, made if it is not there.
  static RunFolder make(const std::filesystem::path& folder);
  /// `folder`, or a new one if that is empty: made by the first process of the group, and the same for all.
  static RunFolder choose(ProcessGroup& group, const std::filesystem::path& folder, const std::filesystem::path& runs,
                          const std::string& experiment);
  /// One that is there; a checkpoint Error if it is not.
  static RunFolder open(const std::filesystem::path& folder);

  /// The Error of a run that was to be restored and has saved nothing yet.
  [[noreturn]] static void refuse_without_checkpoint(const RunFolder& run);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.toml"; }
  std::filesystem::path environment() const { return path_ / "environment.json"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path exports() const { return path_ / "exports"; }

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace base

#endif  // BASE_TRAIN_RUN_FOLDER_H_
