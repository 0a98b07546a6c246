#include "base/infer/json_lines.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

using Json = nlohmann::json;

constexpr SpecialNumbers kSpecial{.nan = "null", .infinity = "\"Infinity\"", .minus_infinity = "\"-Infinity\""};
constexpr std::size_t kMostReason = 120;
constexpr int kMostNested = 64;  // more axes than any model has; far from what recursion takes of the stack

// What is wrong with a value, and where in the line: "image[3][4] is a string".
struct BadValue {
  std::string what;
};

// Before it is parsed: whoever goes through what is nested deeply, element by element, needs a stack as deep.
void check_depth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_string && letter == '\\') {
      ++i;
    } else if (letter == '"') {
      in_string = !in_string;
    } else if (!in_string && (letter == '[' || letter == '{')) {
      if (++depth > kMostNested) throw BadValue{format("lists and objects are nested deeper than {}", kMostNested)};
    } else if (!in_string && (letter == ']' || letter == '}')) {
      --depth;
    }
  }
}

// By the first element of each list; fill() sees whether the others agree.
std::vector<std::int64_t> shape_of(const Json& json) {
  std::vector<std::int64_t> shape;
  for (const Json* value = &json; value->is_array(); value = &value->front()) {
    shape.push_back(static_cast<std::int64_t>(value->size()));
    if (value->empty()) break;
  }
  return shape;
}

// [[0.5, ...], ...], as deep as the input is.
std::string example_of(const TensorSpec& spec, bool has_batch) {
  std::string text = is_floating(spec.dtype) ? "0.5" : spec.dtype == DType::kBool ? "true" : "1";
  for (std::size_t axis = has_batch ? 1 : 0; axis < spec.axes.size(); ++axis) text = format("[{}, ...]", text);
  return text;
}

std::string name_text(const std::string& name) {
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string fix_for(const Signature& signature) {
  const bool has_batch = has_batch_axis(signature);
  std::string example;
  for (const TensorSpec& spec : signature.inputs)
    example += format("{}{}: {}", example.empty() ? "" : ", ", name_text(spec.name), example_of(spec, has_batch));
  return format("write one object a line, with a value for each input: {{{}}}", example);
}

// The reason alone: the number of the line is known better here, and a broken text may be all of the file.
std::string reason_of(const Json::exception& error) {
  std::string_view reason = error.what();
  for (const std::string_view before : {"] ", " - "})
    if (const auto at = reason.find(before); at != std::string_view::npos) reason.remove_prefix(at + before.size());
  std::string text(reason.substr(0, kMostReason));
  if (reason.size() > kMostReason) text += "...";
  const auto* place = dynamic_cast<const Json::parse_error*>(&error);
  return place == nullptr ? text : format("column {}: {}", place->byte, text);
}

// Whether it is a nan or an infinity that JSON does not know: NaN as Python writes it, or 1e999.
bool is_about_special_number(const Json::exception& error, std::string_view line) {
  const auto* place = dynamic_cast<const Json::parse_error*>(&error);
  if (place == nullptr) return dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
  // The place is that of the first letter that cannot be: of nan the second one, since it could have been null.
  std::string word(line.substr(std::min(line.size(), std::max<std::size_t>(place->byte, 2) - 2), 4));
  for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return word.find("nan") != std::string::npos || word.find("inf") != std::string::npos;
}

template <typename T>
bool fits(const Json& value) {
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    return number >= static_cast<double>(std::numeric_limits<T>::min()) &&
           number < std::ldexp(1.0, std::numeric_limits<T>::digits);
  }
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const auto number = value.get<std::int64_t>();
  return std::is_signed_v<T> ? number >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) : number >= 0;
}

bool is_in_range(DType dtype, const Json& value) {
  switch (dtype) {
    case DType::kU8:
      return fits<std::uint8_t>(value);
    case DType::kI8:
      return fits<std::int8_t>(value);
    case DType::kI16:
      return fits<std::int16_t>(value);
    case DType::kU16:
      return fits<std::uint16_t>(value);
    case DType::kI32:
      return fits<std::int32_t>(value);
    case DType::kU32:
      return fits<std::uint32_t>(value);
    case DType::kI64:
      return fits<std::int64_t>(value);
    case DType::kU64:
      return fits<std::uint64_t>(value);
    default:
      return true;
  }
}

// Nothing if it is no number.
std::optional<double> number_of(const Json& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.is_number()) return value.get<double>();
  if (value.is_null() || value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return kInfinity;
  if (value == "-Infinity") return -kInfinity;
  return std::nullopt;
}

// 3, and 3.0 too: many programs write all numbers so.
bool is_whole(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
}

void set(NewTensor& tensor, std::size_t index, const Json& value, const std::string& place) {
  const DType dtype = tensor.tensor.view.dtype;
  const auto refuse = [&](const std::string& wanted) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "...";
    throw BadValue{format("{} is {}, not {}", place, text, wanted)};
  };
  if (value.is_array()) refuse("a number as its neighbours are");
  if (is_floating(dtype)) {
    const std::optional<double> number = number_of(value);
    if (!number) refuse("a number");
    set_number(dtype, tensor.bytes, index, *number);
  } else if (dtype == DType::kBool) {
    if (!value.is_boolean()) refuse("true or false");
    set_number(dtype, tensor.bytes, index, value.get<bool>() ? 1 : 0);
  } else {
    if (!is_whole(value)) refuse("a whole number");
    if (!is_in_range(dtype, value)) refuse(format("in the range of {}", name_of(dtype)));
    if (dtype == DType::kI64) {
      const auto whole = value.get<std::int64_t>();
      std::memcpy(tensor.bytes.data() + index * sizeof(whole), &whole, sizeof(whole));
    } else if (dtype == DType::kU64) {
      const auto whole = value.get<std::uint64_t>();
      std::memcpy(tensor.bytes.data() + index * sizeof(whole), &whole, sizeof(whole));
    } else {
      set_number(dtype, tensor.bytes, index, value.get<double>());
    }
  }
}

// Writes what is below `json`, whose depth is `axis`, from element `index` on.
void fill(NewTensor& tensor, const Json& json, std::size_t axis, std::size_t& index, const std::string& place) {
  const std::vector<std::int64_t>& shape = tensor.tensor.view.shape;
  if (axis == shape.size()) return set(tensor, index++, json, place);
  if (!json.is_array()) throw BadValue{format("{} is no list, as its neighbours are", place)};
  if (static_cast<std::int64_t>(json.size()) != shape[axis])
    throw BadValue{format("{} has {} elements, its neighbours {}", place, json.size(), shape[axis])};
  if (axis + 1 == shape.size()) {  // the bulk: no names are made for what is right
    for (std::size_t i = 0; i < json.size(); ++i) {
      const Json& value = json[i];
      if (tensor.tensor.view.dtype == DType::kF32 && value.is_number()) {
        set_number(DType::kF32, tensor.bytes, index++, value.get<double>());
      } else {
        set(tensor, index++, value, format("{}[{}]", place, i));
      }
    }
    return;
  }
  for (std::size_t i = 0; i < json.size(); ++i) fill(tensor, json[i], axis + 1, index, format("{}[{}]", place, i));
}

HostTensor tensor_of(const std::string& name, DType dtype, const Json& json) {
  NewTensor tensor = new_tensor(name, dtype, shape_of(json));
  std::size_t index = 0;
  fill(tensor, json, 0, index, name);
  return std::move(tensor.tensor);
}

// Names that the model does not know stay in it, without a value: what does not fit the model is told at once.
Feed feed_of(const Json& json, const Signature& signature) {
  if (!json.is_object()) throw BadValue{"a feed is no object"};
  Feed feed;
  for (const auto& [name, value] : json.items()) {
    const auto spec = std::ranges::find(signature.inputs, name, &TensorSpec::name);
    const bool is_known = spec != signature.inputs.end();
    feed.push_back(is_known ? tensor_of(name, spec->dtype, value) : new_tensor(name, DType::kF32, {}).tensor);
  }
  return feed;
}

void append_tensor(std::string& text, const TensorView& view, std::size_t axis, std::size_t& index) {
  if (axis == view.shape.size()) {
    if (view.dtype == DType::kBool) {
      text += number_at(view, index++) != 0 ? "true" : "false";
    } else {
      append_number(text, view, index++, kSpecial);
    }
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < view.shape[axis]; ++i) {
    if (i > 0) text += ", ";
    append_tensor(text, view, axis + 1, index);
  }
  text += ']';
}

}  // namespace

Sample sample_of_json(std::string_view text, const std::string& name, const Signature& signature) {
  try {
    check_depth(text);
    Json json = Json::parse(text);
    if (!json.is_object()) throw BadValue{"it is no object"};
    Sample sample{.name = name};
    const auto is_input = [&](const char* key) {
      return std::ranges::find(signature.inputs, key, &TensorSpec::name) != signature.inputs.end();
    };
    if (json.contains("id") && !is_input("id")) {
      sample.id = json["id"].dump();
      json.erase("id");
    }
    if (json.contains("feeds") && !is_input("feeds") && json.size() == 1) {
      if (!json["feeds"].is_array() || json["feeds"].empty()) throw BadValue{"feeds is no list of objects"};
      for (const Json& feed : json["feeds"]) sample.feeds.push_back(feed_of(feed, signature));
    } else {
      sample.feeds.push_back(feed_of(json, signature));
    }
    return sample;
  } catch (const Json::exception& error) {
    const std::string special = R"(; write null for nan, "Infinity" or "-Infinity" for infinity)";
    throw Error(ErrorKind::kData, "the line is not JSON", format("{} ({})", name, reason_of(error)),
                fix_for(signature) + (is_about_special_number(error, text) ? special : ""));
  } catch (const BadValue& bad) {
    throw Error(ErrorKind::kData, "the line is no sample", format("{} ({})", name, bad.what), fix_for(signature));
  }
}

JsonLinesReader::JsonLinesReader(const std::filesystem::path& path, Signature signature)
    : lines_(path), signature_(std::move(signature)) {}

std::optional<Sample> JsonLinesReader::next() {
  while (const std::optional<std::string_view> line = lines_.next()) {
    if (line->find_first_not_of(" \t") != std::string_view::npos)
      return sample_of_json(*line, lines_.where(), signature_);
  }
  return std::nullopt;
}

void JsonLinesSink::take(const Sample& sample, std::span<const TensorView> outputs) {
  line_.clear();
  line_ += '{';
  if (!sample.id.empty()) line_.append("\"id\": ").append(sample.id);
  for (const TensorView& output : outputs) {
    if (line_.size() > 1) line_ += ", ";
    line_ += name_text(output.name) + ": ";
    std::size_t index = 0;
    append_tensor(line_, output, 0, index);
  }
  output_.write(line_ += "}\n");
}

}  // namespace base
