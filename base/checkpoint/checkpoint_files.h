// checkpoint_files.h: the two JSON files of a checkpoint, as texts: manifest.json, which holds the checksums of all the
// others and its own, and state.json with the values of all parts.
#ifndef BASE_CHECKPOINT_CHECKPOINT_FILES_H_
#define BASE_CHECKPOINT_CHECKPOINT_FILES_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checkpoint/checkpoint.h"
#include "base/log/error.h"
#include "base/records/checked_file.h"
#include "base/records/folder.h"
#include "base/tensor/state.h"

namespace base {

inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kStateFile = "state.json";
inline constexpr std::string_view kTensorsExtension = ".safetensors";
inline constexpr std::uint64_t kMostJsonBytes = std::uint64_t{64} << 20;  // either of them: larger is not ours

/// For the functions of records/folder.h.
bool is_checkpoint_file(const std::filesystem::directory_entry& entry);
inline constexpr FolderKind kCheckpointFolder{ErrorKind::kCheckpoint, "checkpoint", is_checkpoint_file};

struct Manifest {
  std::int64_t step = 0;
  std::optional<double> score;
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<CheckedFile> files;  // all but the manifest
};

/// An Error if a part has a name that fits no file, or a tensor that is undefined or sparse.
void check_savable(const Checkpoint& checkpoint);

/// About a file of a checkpoint that is not as it was written.
Error damaged(const std::filesystem::path& file, const std::string& why);

/// A name that is not UTF-8 is an Error.
std::string manifest_text(const Manifest& manifest);
/// `file` is for messages. A text that is not byte for byte what manifest_text() made is an Error.
Manifest parse_manifest(const std::filesystem::path& file, std::string_view text);
/// Of this checkpoint.
Manifest read_manifest(const std::filesystem::path& folder);

/// The values of all parts. Every number comes back as it was, nan, the infinities and -0.0 as well.
std::string values_text(const std::map<std::string, State>& parts);
std::map<std::string, State> parse_values(const std::filesystem::path& file, std::string_view text);

}  // namespace base

#endif  // BASE_CHECKPOINT_CHECKPOINT_FILES_H_
