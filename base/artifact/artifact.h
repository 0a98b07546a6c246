// artifact.h: an exported model, as a folder on disk. All that training leaves behind, and all that inference needs:
//
//     exports/400/model.onnx          for ONNX Runtime and TensorRT, its large weights in model.onnx.data
//                 model.pt            TorchScript
//                 model.safetensors   the weights by name, which Python reads as they are
//                 config.toml         the settings of the run
//                 manifest.json       names, types and shapes; metrics; size and checksum of every file
//                 triton/NAME/        a model repository: tritonserver --model-repository exports/400/triton
//
#ifndef BASE_ARTIFACT_ARTIFACT_H_
#define BASE_ARTIFACT_ARTIFACT_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/artifact/manifest.h"
#include "base/records/folder.h"

namespace base {

/// An export that was opened: its manifest is read, and each file is there in its full size.
class Artifact {
 public:
  /// kSizes leaves the checksums to file(), so that nobody reads the gigabytes of a file that is not used.
  enum class Check { kAll, kSizes };

  /// A folder that is no export, or one with a file that is missing, cut off or changed, is an export Error.
  static Artifact open(const std::filesystem::path& folder, Check check = Check::kAll);

  const std::filesystem::path& folder() const { return folder_; }
  const ExportManifest& manifest() const { return manifest_; }
  const Signature& signature() const { return manifest_.signature; }

  bool has(std::string_view name) const;
  /// The path of a file, for who loads it. Its checksum has been checked by then; a file that the export lacks is an
  /// export Error.
  std::filesystem::path file(std::string_view name) const;

 private:
  Artifact(std::filesystem::path folder, ExportManifest manifest, bool checked)
      : folder_(std::move(folder)), manifest_(std::move(manifest)), checked_(checked) {}
  const CheckedFile* find(std::string_view name) const;

  std::filesystem::path folder_;
  ExportManifest manifest_;
  bool checked_;
};

/// Makes an export: in a hidden folder, which appears under its name with publish() or vanishes with the object.
///
///     ArtifactWriter writer("exports/400");
///     write_onnx(graph, writer.path() / kOnnxFile);
///     writer.publish({.model = "demo", .step = 400, .signature = graph.signature}, settings_toml(settings));
///
class ArtifactWriter {
 public:
  /// An export that is there under this name is replaced; anything else there is an export Error.
  explicit ArtifactWriter(const std::filesystem::path& folder);

  /// For the files of the model. There has to be a model.onnx at least.
  const std::filesystem::path& path() const { return partial_.path(); }

  /// Adds the rest, syncs all to the disk, and renames the folder. The files of `manifest` are those that are there,
  /// its time is now if it has none.
  void publish(ExportManifest manifest, const std::string& settings = {});

 private:
  PartialFolder partial_;
};

/// The export with the highest number in a folder such as exports/, by the manifest and the sizes of its files; nothing
/// if there is none. A folder that is an export itself is its own newest.
std::optional<std::filesystem::path> newest_export(const std::filesystem::path& folder);

}  // namespace base

#endif  // BASE_ARTIFACT_ARTIFACT_H_
