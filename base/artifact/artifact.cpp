#include "base/artifact/artifact.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/artifact/triton.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kTriton = "triton";
constexpr std::uint64_t kMostManifestBytes = std::uint64_t{16} << 20;

bool is_export_entry(const fs::directory_entry& entry) {
  const fs::path name = entry.path().filename();
  if (entry.is_directory()) return name == kTriton;
  return entry.is_regular_file() && (name == kManifest || name == kSettingsFile || name.string().starts_with("model."));
}

constexpr FolderKind kExportFolder{ErrorKind::kExport, "export", is_export_entry};

// Runs `write`: whatever the layer below says becomes an Error about the export.
template <typename Write>
auto writing(const Write& write) {
  try {
    return write();
  } catch (const fs::filesystem_error& failure) {
    throw folder_error(kExportFolder, "the export cannot be written", failure.path1(), failure.code().value());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kExport) throw;
    throw Error(ErrorKind::kExport, "the export cannot be written", error.problem(),
                error.fix() + ": the export before is whole");
  }
}

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// Triton's model repository, with links to the files of the export: they hold wherever the export is moved as a whole.
CheckedFile write_triton_view(const fs::path& folder, const ExportManifest& manifest) {
  const fs::path model = fs::path(kTriton) / manifest.model;
  fs::create_directories(folder / model / "1");
  for (const CheckedFile& file : manifest.files) {
    if (file.name.starts_with(kOnnxFile))
      fs::create_symlink(fs::path("../../..") / file.name, folder / model / "1" / file.name);
  }
  CheckedFile config =
      write_checked_file(folder / model / "config.pbtxt", triton_config(manifest.model, manifest.signature));
  config.name = (model / "config.pbtxt").string();
  for (const fs::path& made : {model / "1", model, fs::path(kTriton)}) sync_folder(kExportFolder, folder / made);
  return config;
}

/// An export by its name, "400" or "400-int8".
struct Named {
  std::int64_t step = 0;
  std::string suffix = {};  // of its precision
  fs::path path = {};
};

std::optional<Named> named(const fs::path& path) {
  const std::string name = path.filename().string();
  Named result{.path = path};
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), result.step);
  result.suffix = std::string(end, name.data() + name.size());
  if (error != std::errc() || result.step < 0 || (!result.suffix.empty() && result.suffix[0] != '-')) return {};
  return result;
}

/// The highest first.
std::vector<Named> exports_in(const fs::path& folder) {
  std::error_code error;
  std::vector<Named> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (auto one = named(entry->path())) found.push_back(std::move(*one));
  std::ranges::sort(found, [](const Named& one, const Named& other) {
    return std::tuple(-one.step, one.suffix) < std::tuple(-other.step, other.suffix);
  });
  return found;
}

/// Larger is better; nan never is.
double rank_of(const ExportManifest& manifest) {
  if (!manifest.score || std::isnan(*manifest.score)) return -std::numeric_limits<double>::infinity();
  return manifest.lower_is_better ? -*manifest.score : *manifest.score;
}

/// The best of those that are whole; the first of equals.
std::optional<fs::path> best_of(const std::vector<Named>& exports) {
  std::optional<fs::path> best;
  double rank = 0;
  for (const Named& one : exports) {
    try {
      const double its = rank_of(Artifact::open(one.path, Artifact::Check::kSizes).manifest());
      if (best && its <= rank) continue;
      best = one.path;
      rank = its;
    } catch (const Error& problem) {
      std::error_code error;
      if (fs::exists(one.path, error)) log::warn("the export {} is passed over: {}", one.path, problem.problem());
    }
  }
  return best;
}

/// Nothing if another process exports to the same place now: what is hidden there may be its own.
std::optional<FolderLock> lock_without_leftovers(const fs::path& folder) {
  const fs::path parent = (folder.has_filename() ? folder : folder.parent_path()).parent_path();
  std::error_code ignored;
  if (!parent.empty()) fs::create_directories(parent, ignored);
  try {
    auto lock = FolderLock::try_lock(kExportFolder, parent.empty() ? "." : parent);
    if (lock) remove_leftovers(parent.empty() ? "." : parent);
    return lock;
  } catch (const Error&) {  // a folder that cannot be written to: who makes the export says so
    return std::nullopt;
  }
}

}  // namespace

Artifact Artifact::open(const fs::path& folder, Check check) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(ErrorKind::kExport, "there is no such export", folder.string(),
                "give the folder of an exported model, such as exports/400");
  }
  if (!fs::exists(folder / kManifest, error)) {
    throw Error(ErrorKind::kExport, "the folder is no export", format("{} (it has no manifest.json)", folder),
                "give the folder of an exported model, such as exports/400");
  }
  try {
    ExportManifest manifest =
        parse_export_manifest(folder / kManifest, read_file(folder / kManifest, kMostManifestBytes, damaged_export));
    for (const CheckedFile& file : manifest.files) {
      const fs::path path = folder / file.name;
      if (check == Check::kAll) {
        check_file(path, file, damaged_export);
      } else if (!fs::exists(path)) {
        throw damaged_export(path, "it is missing");
      } else if (!fs::is_regular_file(path) || fs::file_size(path) != file.size) {
        throw damaged_export(path, format("it is not of its {} bytes", file.size));
      }
    }
    return {folder, std::move(manifest), check == Check::kAll};
  } catch (const fs::filesystem_error& failure) {
    throw damaged_export(failure.path1(), failure.code().message());
  }
}

const CheckedFile* Artifact::find(std::string_view name) const {
  const auto found = std::ranges::find(manifest_.files, name, &CheckedFile::name);
  return found == manifest_.files.end() ? nullptr : &*found;
}

bool Artifact::has(std::string_view name) const {
  return find(name) != nullptr;
}

fs::path Artifact::file(std::string_view name) const {
  const CheckedFile* const found = find(name);
  if (found == nullptr) {
    throw Error(ErrorKind::kExport, format("the export has no {}", name), folder_.string(),
                "export the model again, with this file");
  }
  fs::path path = folder_ / found->name;
  if (!checked_) check_file(path, *found, damaged_export);
  return path;
}

ArtifactWriter::ArtifactWriter(const fs::path& folder)
    : lock_(lock_without_leftovers(folder)), partial_(kExportFolder, folder) {}

void ArtifactWriter::complete(ExportManifest manifest, const std::string& settings) {
  writing([&] {
    if (!settings.empty()) write_checked_file(path() / kSettingsFile, settings);
    if (manifest.time.empty()) manifest.time = now();
    manifest.files.clear();
    for (const fs::directory_entry& entry : fs::directory_iterator(path())) {
      if (entry.is_directory() || !is_export_entry(entry)) {
        throw Error(ErrorKind::kExport, "what is there is no file of an export", entry.path().string(),
                    "write model.onnx, model.pt and model.safetensors alone");
      }
      manifest.files.push_back(measure_file(entry.path(), damaged_export));
    }
    std::ranges::sort(manifest.files, {}, &CheckedFile::name);
    static_cast<void>(manifest_text(manifest));  // refuses a name before it becomes a folder
    manifest.files.push_back(write_triton_view(path(), manifest));
    write_checked_file(path() / kManifest, manifest_text(manifest));
  });
}

void ArtifactWriter::publish() {
  writing([&] { partial_.publish(); });
}

fs::path choose_export(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / kManifest, error)) return folder;
  if (!fs::is_directory(folder, error)) {
    throw Error(ErrorKind::kExport, "there is no such export", folder.string(),
                "give the folder of an exported model, such as exports/400");
  }
  std::vector<Named> exports = exports_in(folder);
  const auto others =
      std::stable_partition(exports.begin(), exports.end(), [](const Named& one) { return one.suffix.empty(); });
  const std::vector<Named> precisions(others, exports.end());
  exports.erase(others, exports.end());
  for (const auto& group : {exports, precisions})
    if (auto best = best_of(group)) return *best;
  const bool is_run = fs::is_directory(folder / "exports", error);
  const bool is_empty = exports.empty() && precisions.empty();
  throw Error(ErrorKind::kExport, is_empty ? "there is no export in this folder" : "no export in this folder is whole",
              folder.string(),
              is_run ? format("give {}", folder / "exports") : "give a folder that holds exports, or export the model");
}

void keep_newest_exports(const fs::path& folder, std::int64_t count) {
  std::vector<Named> exports = exports_in(folder);
  std::erase_if(exports, [](const Named& one) { return !one.suffix.empty(); });
  const std::optional<fs::path> best = best_of(exports);
  for (std::size_t i = static_cast<std::size_t>(count); i < exports.size(); ++i)
    if (exports[i].path != best) remove_folder(kExportFolder, exports[i].path);
}

}  // namespace base
