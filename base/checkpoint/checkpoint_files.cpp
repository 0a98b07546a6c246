#include "base/torch.h"

#include "base/checkpoint/checkpoint_files.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/crc32c.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // the manifest's: people read it from top to bottom

constexpr int kFormat = 1;

// JSON has no words for these three.
template <typename AnyJson>
AnyJson number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;  // written with as many digits as it takes to read the same number
}

double number_of(const Json& json) {
  if (json.is_number_float()) return json.get<double>();
  const auto& word = json.get_ref<const std::string&>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("not a number: " + word);
}

// get<>() would turn 2.5 into 2 and -1 into a huge number.
std::int64_t integer_of(const Json& json) {
  if (!json.is_number_integer()) throw std::invalid_argument("not a whole number");
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    throw std::invalid_argument("too large a number");
  return json.get<std::int64_t>();
}

std::int64_t count_of(const Json& json) {
  const std::int64_t count = integer_of(json);
  if (count < 0) throw std::invalid_argument("a negative number");
  return count;
}

std::uint32_t crc_of(const std::string& hex) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (hex.size() != 8 || !std::ranges::all_of(hex, is_hex)) throw std::invalid_argument("not a checksum: " + hex);
  return static_cast<std::uint32_t>(std::stoul(hex, nullptr, 16));
}

// What becomes the name of a file.
bool is_part_name(std::string_view name) {
  const auto is_fit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, is_fit);
}

// How a manifest ends whose bytes so far are `body`.
std::string manifest_end(std::string_view body) {
  return format(",\n  \"crc32c\": \"{:08x}\"\n}}\n", crc32c(bytes_of(body)));
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
  std::string text = dump(json, 2);
  text.resize(text.size() - std::string_view("\n}").size());
  return text + manifest_end(text);
}

Manifest parse_manifest(const fs::path& file, std::string_view text) {
  const std::size_t end = manifest_end("").size();
  const std::string_view body = text.substr(0, text.size() - std::min(text.size(), end));
  if (text.size() < end || text.substr(body.size()) != manifest_end(body))
    throw damaged(file, "its checksum does not fit it");
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
  return parse_manifest(folder / kManifestFile, read_text(folder / kManifestFile));
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

std::string read_text(const fs::path& file) {
  std::error_code error;
  const std::uint64_t size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
  if (!fs::exists(file, error)) throw damaged(file, "it is missing");
  if (error) throw damaged(file, error.message());
  if (size > kMostJsonBytes) throw damaged(file, format("{} bytes are too many", size));
  std::string text(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(size))) throw damaged(file, "it cannot be read");
  return text;
}

}  // namespace base
