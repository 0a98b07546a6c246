// weights.h: a network's weights as a safetensors file, which Python reads and writes too.
#ifndef BASE_MODEL_WEIGHTS_H_
#define BASE_MODEL_WEIGHTS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/torch.h"

namespace base {

struct LoadOptions {
  /// How names in the file begin, and how they begin in the network instead; the first that fits is taken. {"module.",
  /// ""} takes a beginning off, {"", "backbone."} puts one before every name.
  std::vector<std::pair<std::string, std::string>> rename = {};
  /// Weights of the network to leave as they are, whether the file has them or not: {"fc"} for a new head (see
  /// name_pattern.h).
  std::vector<std::string> skip = {};
  /// Take what fits and leave the rest, instead of refusing a file that does not fit exactly.
  bool partial = false;
};

/// What became of the network's weights and of the file's. Names are the network's, those of left_over the file's.
struct LoadReport {
  std::vector<std::string> matched;     // now hold what the file holds
  std::vector<std::string> missing;     // not in the file
  std::vector<std::string> left_over;   // in the file alone
  std::vector<std::string> mismatched;  // of another shape or kind, as "fc.weight: F32 [10, 512], not float32 [2, 512]"
  std::vector<std::string> skipped;     // as asked

  bool fits() const { return missing.empty() && left_over.empty() && mismatched.empty(); }
  /// One line for each of these that is not empty, with the first few names.
  std::string summary() const;
};

/// Loads parameters and buffers by name. Other floating-point types are converted; shapes must be equal. A file that
/// does not fit (see `partial`), or of which nothing fits, is a checkpoint Error that says all that is wrong, one that
/// cannot be read a data Error, and then nothing is changed. The count that batch norms keep of their batches may be
/// missing, as it is in old files.
LoadReport load_weights(torch::nn::Module& module, const std::filesystem::path& path, const LoadOptions& options = {});

/// Writes parameters and buffers under their names, to a file beside `path` that then takes its place: it is there
/// whole or not at all.
void save_weights(const torch::nn::Module& module, const std::filesystem::path& path);

}  // namespace base

#endif  // BASE_MODEL_WEIGHTS_H_
