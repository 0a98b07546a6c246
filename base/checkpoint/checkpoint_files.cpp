#include "base/torch.h"

#include "base/checkpoint/checkpoint_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "base/log/format.h"
#include "base/records/json_values.h"
#include "base/records/seal.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // the manifest's: people read it from top to bottom

constexpr int kFormat = 1;

// What becomes the name of a file.
bool is_part_name(std::string_view name) {
  const auto is_fit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, is_fit);
}

std::string dump(const auto& json, int indent) {
  try {
    return json.dump(indent);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::kCheckpoint, "a name or text of the checkpoint is not UTF-8", "",
                "save bytes as a tensor of uint8");
  }
}

// Runs `parse` on the text's JSON: whatever it stumbles over says that the file is damaged.
template <typename Parse>
auto parse_json(const fs::path& file, std::string_view text, const Parse& parse) {
  try {
    return parse(Json::parse(text));
  } catch (const Json::exception& error) {
    throw damaged(file, error.what());
  } catch (const std::invalid_argument& error) {
    throw damaged(file, error.what());
  }
}

}  // namespace

void check_savable(const Checkpoint& checkpoint) {
  if (checkpoint.step < 0) {
    throw Error(ErrorKind::kInternal, "a checkpoint's step is below zero", std::to_string(checkpoint.step), "");
  }
  for (const auto& [part, state] : checkpoint.parts) {
    if (!is_part_name(part)) {
      throw Error(ErrorKind::kCheckpoint, "a part of a checkpoint cannot have this name", part,
                  "use small letters, digits, - and _: it becomes the name of a file");
    }
    for (const auto& [name, tensor] : state.tensors()) {
      if (!tensor.defined()) {
        throw Error(ErrorKind::kCheckpoint, "a tensor that was never set cannot be saved", format("{}: {}", part, name),
                    "leave it out of the state until it has a value");
      }
      if (tensor.layout() != torch::kStrided) {
        throw Error(ErrorKind::kCheckpoint, "a sparse tensor cannot be saved", format("{}: {}", part, name),
                    "save its indices and its values as tensors of their own");
      }
    }
  }
}

bool is_checkpoint_file(const fs::directory_entry& entry) {
  const fs::path name = entry.path().filename();
  return entry.is_regular_file() && (name.extension() == ".json" || name.extension() == kTensorsExtension);
}

Error damaged(const fs::path& file, const std::string& why) {
  return {ErrorKind::kCheckpoint, "the checkpoint is damaged", format("{} ({})", file, why),
          "restore another one; \"latest\" takes the newest that is whole"};
}

std::string manifest_text(const Manifest& manifest) {
  OrderedJson json{{"format", kFormat}, {"step", manifest.step}};
  if (manifest.score) json["score"] = number_json<OrderedJson>(*manifest.score);
  json["metrics"] = OrderedJson::array();
  for (const auto& [name, value] : manifest.metrics)
    json["metrics"].push_back({{"name", name}, {"value", number_json<OrderedJson>(value)}});
  json["files"] = OrderedJson::array();
  for (const auto& [name, size, crc] : manifest.files)
    json["files"].push_back({{"name", name}, {"size", size}, {"crc32c", format("{:08x}", crc)}});
  return seal(dump(json, 2));
}

Manifest parse_manifest(const fs::path& file, std::string_view text) {
  if (!is_sealed(text)) throw damaged(file, "its checksum does not fit it");
  return parse_json(file, text, [&](const Json& json) {
    if (const auto format_version = integer_of(json.at("format")); format_version != kFormat) {
      throw Error(ErrorKind::kCheckpoint,
                  format("the checkpoint is of format {}, this program reads {}", format_version, kFormat),
                  file.string(), "restore it with the program that wrote it");
    }
    Manifest manifest;
    manifest.step = count_of(json.at("step"));
    if (json.contains("score")) manifest.score = number_of(json.at("score"));
    for (const Json& metric : json.at("metrics"))
      manifest.metrics.emplace_back(metric.at("name").get<std::string>(), number_of(metric.at("value")));
    std::set<std::string> names;
    for (const Json& entry : json.at("files")) {
      const auto name = entry.at("name").get<std::string>();
      const bool is_tensors = name.ends_with(kTensorsExtension) &&
                              is_part_name(std::string_view(name).substr(0, name.size() - kTensorsExtension.size()));
      if (!is_tensors && name != kStateFile) throw std::invalid_argument("not a file of a checkpoint: " + name);
      if (!names.insert(name).second) throw std::invalid_argument("twice: " + name);
      manifest.files.push_back({name, static_cast<std::uint64_t>(count_of(entry.at("size"))),
                                crc_of(entry.at("crc32c").get_ref<const std::string&>())});
    }
    if (!names.contains(std::string(kStateFile))) throw std::invalid_argument("no state.json");
    return manifest;
  });
}

Manifest read_manifest(const fs::path& folder) {
  return parse_manifest(folder / kManifestFile, read_file(folder / kManifestFile, kMostJsonBytes, damaged));
}

std::string values_text(const std::map<std::string, State>& parts) {
  Json json = Json::object();
  for (const auto& [part, state] : parts) {
    Json& values = json[part] = Json::object();
    // By type, so that a text "nan" and a number nan stay apart, and 1 and 1.0.
    for (const char* type : {"integers", "numbers", "texts"}) values[type] = Json::object();
    for (const auto& [name, value] : state.values()) {
      if (const auto* integer = std::get_if<std::int64_t>(&value)) values["integers"][name] = *integer;
      if (const auto* number = std::get_if<double>(&value)) values["numbers"][name] = number_json<Json>(*number);
      if (const auto* text = std::get_if<std::string>(&value)) values["texts"][name] = *text;
    }
  }
  return dump(json, 1) + "\n";
}

std::map<std::string, State> parse_values(const fs::path& file, std::string_view text) {
  return parse_json(file, text, [](const Json& json) {
    std::map<std::string, State> parts;
    for (const auto& [part, values] : json.items()) {
      if (!is_part_name(part)) throw std::invalid_argument("not a part's name: " + part);
      State& state = parts[part];
      for (const auto& [name, value] : values.at("integers").items()) state.set(name, integer_of(value));
      for (const auto& [name, value] : values.at("numbers").items()) state.set(name, number_of(value));
      for (const auto& [name, value] : values.at("texts").items()) state.set(name, value.get<std::string>());
    }
    return parts;
  });
}

}  // namespace base
