#include "base/torch.h"

#include "base/checkpoint/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "base/checkpoint/checkpoint_files.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/checked_file.h"
#include "base/records/folder.h"
#include "base/records/safetensors.h"
#include "base/tensor/one_thread.h"
#include "base/tensor/tensor_view.h"

namespace base {
namespace {

namespace fs = std::filesystem;

// Runs `write`: whatever the layer below says becomes an Error about the checkpoint.
template <typename Write>
auto writing(const Write& write) {
  try {
    return write();
  } catch (const Error& error) {
    throw Error(ErrorKind::kCheckpoint, "the checkpoint cannot be written", error.problem(),
                error.fix() + ": the checkpoint before is whole");
  }
}

CheckedFile write_text(const fs::path& path, const std::string& text) {
  if (text.size() > kMostJsonBytes) {
    throw Error(ErrorKind::kCheckpoint, "numbers and texts of more than 64 MB cannot be saved", path.string(),
                "save them as tensors");
  }
  return writing([&] { return write_checked_file(path, text); });
}

CheckedFile write_tensors(const fs::path& path, const State& state) {
  return writing([&]() -> CheckedFile {
    std::vector<torch::Tensor> tensors;  // keeps the copies alive
    std::vector<TensorView> views;
    for (const auto& [name, tensor] : state.tensors()) {
      tensors.push_back(tensor.detach().to(torch::kCPU).resolve_neg().contiguous());
      views.push_back(view_of(name, tensors.back()));
    }
    const std::uint32_t crc = write_safetensors(path, views, {.metadata = {{"format", "pt"}}, .sync = true});
    return {path.filename().string(), fs::file_size(path), crc};
  });
}

void refuse_not_finite(const Checkpoint& checkpoint) {
  const OneThread one_thread;  // the others are at the training
  for (const std::string& name : checkpoint.finite) {
    const torch::Tensor& tensor = checkpoint.parts.at("model").tensors().at(name);
    if (!tensor.is_floating_point() || tensor.numel() == 0) continue;
    const auto [least, most] = at::aminmax(tensor);  // both nan where one value is
    if (std::isfinite(least.item<double>()) && std::isfinite(most.item<double>())) continue;
    throw Error(ErrorKind::kTraining,
                format("the weights of step {} are not saved: not all of them are numbers", checkpoint.step), name,
                "go on from the checkpoint before, with a smaller learning rate or with clip_norm");
  }
}

void refuse_leftovers(const fs::path& folder, const Manifest& manifest) {
  std::set<std::string> expected{std::string(kManifestFile)};
  for (const CheckedFile& file : manifest.files) expected.insert(file.name);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!expected.contains(entry.path().filename().string()))
      throw damaged(entry.path(), "it is no part of the checkpoint");
  }
}

void read_tensors(const fs::path& path, State& state) {
  try {
    const SafetensorsFile file(path);
    for (const TensorView& view : file.tensors()) state.set(view.name, tensor_of(view));
  } catch (const Error& error) {  // its checksum fits, so that is how it was written
    throw damaged(path, error.problem());
  }
}

}  // namespace

void write_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  check_savable(checkpoint);
  refuse_not_finite(checkpoint);
  Manifest manifest{.step = checkpoint.step, .score = checkpoint.score, .metrics = checkpoint.metrics, .files = {}};
  try {
    PartialFolder partial(kCheckpointFolder, folder);
    for (const auto& [part, state] : checkpoint.parts) {
      if (state.tensors().empty()) continue;
      manifest.files.push_back(write_tensors(partial.path() / (part + std::string(kTensorsExtension)), state));
    }
    manifest.files.push_back(write_text(partial.path() / kStateFile, values_text(checkpoint.parts)));
    write_text(partial.path() / kManifestFile, manifest_text(manifest));
    partial.publish();
  } catch (const fs::filesystem_error& failure) {
    throw folder_error(kCheckpointFolder, "the checkpoint cannot be written", failure.path1(), failure.code().value());
  }
}

Checkpoint read_checkpoint(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(ErrorKind::kCheckpoint, "there is no such checkpoint", folder.string(),
                "give the folder of a checkpoint, such as checkpoints/step-400");
  }
  try {
    const Manifest manifest = read_manifest(folder);
    refuse_leftovers(folder, manifest);
    for (const CheckedFile& file : manifest.files) check_file(folder / file.name, file, damaged);

    Checkpoint checkpoint{.step = manifest.step, .score = manifest.score, .metrics = manifest.metrics, .parts = {}};
    checkpoint.parts = parse_values(folder / kStateFile, read_file(folder / kStateFile, kMostJsonBytes, damaged));
    for (const CheckedFile& file : manifest.files) {
      if (file.name == kStateFile) continue;
      const auto part = checkpoint.parts.find(file.name.substr(0, file.name.size() - kTensorsExtension.size()));
      if (part == checkpoint.parts.end()) throw damaged(folder / file.name, "state.json does not know it");
      read_tensors(folder / file.name, part->second);
    }
    return checkpoint;
  } catch (const fs::filesystem_error& failure) {  // a folder that cannot be listed, a disk that fails
    throw damaged(folder, failure.code().message());
  }
}

}  // namespace base
