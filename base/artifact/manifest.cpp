#include "base/artifact/manifest.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/log/format.h"
#include "base/records/json_values.h"
#include "base/records/seal.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // people read it from top to bottom

constexpr int kFormat = 1;
constexpr std::array kDTypes = {DType::kBool, DType::kU8,   DType::kI8,  DType::kI16, DType::kU16,
                                DType::kF16,  DType::kBF16, DType::kI32, DType::kU32, DType::kF32,
                                DType::kF64,  DType::kI64,  DType::kU64};

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool is_model_name(std::string_view name) {
  return !name.empty() && name.size() <= 128 && std::ranges::all_of(name, is_name_char);
}

// Plain names with slashes between them: nothing absolute, hidden, or upwards.
bool is_file_name(std::string_view name) {
  if (name.empty() || name.size() > 1024 || name == "manifest.json") return false;
  for (std::size_t at = 0; at <= name.size();) {
    const std::string_view part = name.substr(at, name.find('/', at) - at);
    if (part.empty() || part[0] == '.') return false;
    if (!std::ranges::all_of(part, [](char c) { return is_name_char(c) || c == '.'; })) return false;
    at += part.size() + 1;
  }
  return true;
}

// Why it cannot be: names that are empty or there twice, sizes below zero. Thrown as std::invalid_argument.
void check_tensors(const std::vector<TensorSpec>& tensors) {
  std::set<std::string_view> names;
  for (const TensorSpec& spec : tensors) {
    if (spec.name.empty()) throw std::invalid_argument("a tensor without a name");
    if (!names.insert(spec.name).second) throw std::invalid_argument("twice: " + spec.name);
    for (const Axis& axis : spec.axes)
      if (axis.size < 0) throw std::invalid_argument("a negative size in " + spec.name);
  }
}

void check(const ExportManifest& manifest) {
  if (!is_model_name(manifest.model)) throw std::invalid_argument("not a model's name: " + manifest.model);
  if (manifest.step < 0) throw std::invalid_argument("a step below zero");
  check_tensors(manifest.signature.inputs);
  check_tensors(manifest.signature.outputs);
  if (manifest.signature.outputs.empty()) throw std::invalid_argument("a model without outputs");
  std::set<std::string_view> names;
  for (const CheckedFile& file : manifest.files) {
    if (!is_file_name(file.name)) throw std::invalid_argument("not a file of an export: " + file.name);
    if (!names.insert(file.name).second) throw std::invalid_argument("twice: " + file.name);
  }
  if (!names.contains(kOnnxFile)) throw std::invalid_argument("no model.onnx");
}

OrderedJson tensors_json(const std::vector<TensorSpec>& tensors) {
  OrderedJson list = OrderedJson::array();
  for (const TensorSpec& spec : tensors) {
    OrderedJson shape = OrderedJson::array();
    for (const Axis& axis : spec.axes) {
      shape.push_back(axis.is_dynamic() ? OrderedJson{{"name", axis.name}, {"size", axis.size}}
                                        : OrderedJson(axis.size));
    }
    list.push_back({{"name", spec.name}, {"dtype", name_of(spec.dtype)}, {"shape", std::move(shape)}});
  }
  return list;
}

DType dtype_of(const std::string& name) {
  const auto found = std::ranges::find(kDTypes, name, [](DType dtype) { return name_of(dtype); });
  if (found == kDTypes.end()) throw std::invalid_argument("not a type: " + name);
  return *found;
}

Axis axis_of(const Json& json) {
  if (!json.is_object()) return {.size = count_of(json), .name = {}};
  Axis axis{.size = count_of(json.at("size")), .name = json.at("name").get<std::string>()};
  if (!axis.is_dynamic()) throw std::invalid_argument("an axis without a name");
  return axis;
}

std::vector<TensorSpec> tensors_of(const Json& json) {
  std::vector<TensorSpec> tensors;
  for (const Json& entry : json) {
    TensorSpec spec{entry.at("name").get<std::string>(), dtype_of(entry.at("dtype").get<std::string>()), {}};
    for (const Json& axis : entry.at("shape")) spec.axes.push_back(axis_of(axis));
    tensors.push_back(std::move(spec));
  }
  return tensors;
}

ExportManifest manifest_of(const Json& json) {
  ExportManifest manifest{.model = json.at("model").get<std::string>(),
                          .project = json.at("project").get<std::string>(),
                          .step = count_of(json.at("step")),
                          .time = json.at("time").get<std::string>(),
                          .precision = json.at("precision").get<std::string>(),
                          .opset = count_of(json.at("opset"))};
  manifest.signature = {tensors_of(json.at("inputs")), tensors_of(json.at("outputs"))};
  for (const auto& [name, value] : json.at("metrics").items()) manifest.metrics[name] = number_of(value);
  if (const Json& score = json.at("score"); !score.is_null()) {
    manifest.score = number_of(score.at("value"));
    manifest.lower_is_better = score.at("lower_is_better").get<bool>();
  }
  for (const Json& entry : json.at("files")) {
    manifest.files.push_back({entry.at("name").get<std::string>(),
                              static_cast<std::uint64_t>(count_of(entry.at("size"))),
                              crc_of(entry.at("crc32c").get_ref<const std::string&>())});
  }
  check(manifest);
  return manifest;
}

}  // namespace

Error damaged_export(const fs::path& file, const std::string& why) {
  return {ErrorKind::kExport, "the export is damaged", format("{} ({})", file, why), "copy or export the model again"};
}

std::string manifest_text(const ExportManifest& manifest) {
  try {
    check(manifest);
    OrderedJson json{{"format", kFormat},
                     {"model", manifest.model},
                     {"project", manifest.project},
                     {"step", manifest.step},
                     {"time", manifest.time},
                     {"precision", manifest.precision},
                     {"opset", manifest.opset},
                     {"inputs", tensors_json(manifest.signature.inputs)},
                     {"outputs", tensors_json(manifest.signature.outputs)}};
    json["metrics"] = OrderedJson::object();
    for (const auto& [name, value] : manifest.metrics) json["metrics"][name] = number_json<OrderedJson>(value);
    json["score"] = nullptr;
    if (manifest.score) {
      json["score"] = {{"value", number_json<OrderedJson>(*manifest.score)},
                       {"lower_is_better", manifest.lower_is_better}};
    }
    json["files"] = OrderedJson::array();
    for (const auto& [name, size, crc] : manifest.files)
      json["files"].push_back({{"name", name}, {"size", size}, {"crc32c", format("{:08x}", crc)}});
    return seal(json.dump(2));
  } catch (const Json::exception&) {
    throw Error(ErrorKind::kExport, "a name of the model is not UTF-8", "", "give it another one");
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorKind::kExport, "the model cannot be described", error.what(),
                "a model has outputs, each tensor a name of its own, and names of files are letters, digits, - and _");
  }
}

ExportManifest parse_export_manifest(const fs::path& file, std::string_view text) {
  if (!is_sealed(text)) throw damaged_export(file, "its checksum does not fit it");
  try {
    const Json json = Json::parse(text);
    if (const auto version = integer_of(json.at("format")); version != kFormat) {
      throw Error(ErrorKind::kExport, format("the export is of format {}, this program reads {}", version, kFormat),
                  file.string(), "run it with the program that it was made for, or export the model again");
    }
    return manifest_of(json);
  } catch (const Json::exception& error) {
    throw damaged_export(file, error.what());
  } catch (const std::invalid_argument& error) {
    throw damaged_export(file, error.what());
  }
}

}  // namespace base
