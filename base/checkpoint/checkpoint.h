// checkpoint.h: one moment of a run, as a folder on disk:
//
//     step-400/model.safetensors       the weights, which Python reads as they are
//              optimizer.safetensors   tensors of the other parts, one file each
//              state.json              numbers and texts of all parts
//              manifest.json           step, metrics, and size and checksum of every file
//
#ifndef BASE_CHECKPOINT_CHECKPOINT_H_
#define BASE_CHECKPOINT_CHECKPOINT_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor/state.h"

namespace base {

struct Checkpoint {
  std::int64_t step = 0;
  std::optional<double> score;                          // what "best" goes by; nothing if it was not measured
  std::vector<std::pair<std::string, double>> metrics;  // for people
  std::map<std::string, State> parts;                   // "model", "optimizer", "random", ...
  std::vector<std::string> finite = {};                 // tensors of "model" without which no weight is worth saving
};

/// Writes the folder: to a temporary one beside it, synced to disk, then renamed, so that it is there whole or not at
/// all. A full disk or the like is a checkpoint Error, and the temporary folder is gone. So is a value that is not
/// finite where it has to be: a training Error, since weights that are lost must not push out those that are not.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

/// Reads it back, every byte checked against the manifest. The tensors are copies of their own. Anything that is
/// missing, damaged or left over is a checkpoint Error that names the file.
Checkpoint read_checkpoint(const std::filesystem::path& folder);

}  // namespace base

#endif  // BASE_CHECKPOINT_CHECKPOINT_H_
