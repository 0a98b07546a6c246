#include "base/torch.h"

#include "base/train/run_folder.h"

#include <system_error>

#include "base/dist/run_name.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::error_code& error) {
  throw Error(ErrorKind::kCheckpoint, format("the run's folder cannot be made ({})", error.message()), folder.string(),
              "give a folder that can be written to");
}

}  // namespace

RunFolder RunFolder::create(const std::filesystem::path& runs, const std::string& experiment) {
  const std::filesystem::path parent = runs / experiment;
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) refuse(parent, error);
  while (true) {  // create_directory is exclusive: a name that is taken is drawn again
    const std::filesystem::path folder = parent / new_run_name();
    if (std::filesystem::create_directory(folder, error)) return RunFolder(folder);
    if (error) refuse(folder, error);
  }
}

RunFolder RunFolder::make(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) refuse(folder, error);
  return RunFolder(folder);
}

RunFolder RunFolder::choose(ProcessGroup& group, const std::filesystem::path& folder, const std::filesystem::path& runs,
                            const std::string& experiment) {
  std::filesystem::path path;
  if (group.world().is_first()) path = (folder.empty() ? create(runs, experiment) : make(folder)).path();
  return RunFolder(group.from_first(path.string()));
}

RunFolder RunFolder::open(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::kCheckpoint, "there is no run in this folder", folder.string(),
                "give the folder of a run, such as one of those in runs");
  }
  return RunFolder(folder);
}

void RunFolder::refuse_without_checkpoint(const RunFolder& run) {
  throw Error(ErrorKind::kCheckpoint, "the run has no checkpoint", run.path().string(),
              "it ended before the first one was saved: start it anew");
}

}  // namespace base
