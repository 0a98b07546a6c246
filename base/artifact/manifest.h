// manifest.h: manifest.json of an exported folder: what the model is, and size and checksum of every file.
#ifndef BASE_ARTIFACT_MANIFEST_H_
#define BASE_ARTIFACT_MANIFEST_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/artifact/signature.h"
#include "base/records/checked_file.h"

namespace base {

inline constexpr std::string_view kOnnxFile = "model.onnx";  // and "model.onnx.data" where the weights are large
inline constexpr std::string_view kTorchScriptFile = "model.pt";
inline constexpr std::string_view kWeightsFile = "model.safetensors";
inline constexpr std::string_view kSettingsFile = "config.toml";

struct ExportManifest {
  std::string model = "model";  // its name for servers: letters, digits, - and _
  std::string project = {};
  std::int64_t step = 0;           // changes of the weights that it has seen
  std::string time = {};           // "2026-01-31T12:00:00Z"
  std::string precision = "fp32";  // fp32, fp16 or int8
  std::int64_t opset = 17;
  Signature signature = {};
  std::map<std::string, double> metrics = {};  // of the model as it was trained, whatever the precision here
  std::optional<double> score = {};            // the one of them by which the run chose its best weights
  bool lower_is_better = false;                // of the score
  std::vector<CheckedFile> files = {};         // all but the manifest itself

  bool operator==(const ExportManifest&) const = default;
};

/// An export Error if a name is not fit for a file or is not UTF-8, or the signature makes no sense.
std::string manifest_text(const ExportManifest& manifest);

/// `file` is for messages. A text that is not byte for byte what manifest_text() made is an export Error, and so are
/// names of files that would lead out of the folder.
ExportManifest parse_export_manifest(const std::filesystem::path& file, std::string_view text);

/// About a file of an export that is not as it was written.
Error damaged_export(const std::filesystem::path& file, const std::string& why);

}  // namespace base

#endif  // BASE_ARTIFACT_MANIFEST_H_
