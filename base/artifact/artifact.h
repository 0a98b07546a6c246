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
///     writer.complete({.model = "demo", .step = 400, .signature = graph.signature}, settings_toml(settings));
///     writer.publish();
///
class ArtifactWriter {
 public:
  /// An export that is there under this name is replaced; anything else there is an export Error. What killed exports
  /// left beside it is removed, or comes back if it was about to be replaced.
  explicit ArtifactWriter(const std::filesystem::path& folder);

  /// For the files of the model. There has to be a model.onnx at least.
  const std::filesystem::path& path() const { return partial_.path(); }

  /// Adds the rest, so that path() is an export that can be opened and tried. The files of `manifest` are those that
  /// are there, its time is now if it has none.
  void complete(ExportManifest manifest, const std::string& settings = {});

  /// Syncs the folder to the disk and renames it. Nothing is added or changed after complete().
  void publish();

 private:
  std::optional<FolderLock> lock_;  // while it is held, nobody takes this export for what a killed process left
  PartialFolder partial_;
};

/// One of the exports in a folder such as exports/: that with the best score; of equals, and of those without a score,
/// the one with the highest number. Those in another precision (400-int8) only if there are no others. A folder that is
/// an export itself is its own choice. Exports that are not whole are passed over, with a warning; an export Error if
/// none is left.
std::filesystem::path choose_export(const std::filesystem::path& folder);

/// Removes all exports in the folder but those with the highest numbers and the best. Those of another precision were
/// asked for by name, and stay.
void keep_newest_exports(const std::filesystem::path& folder, std::int64_t count);

}  // namespace base

#endif  // BASE_ARTIFACT_ARTIFACT_H_
