#include "base/infer/json_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

using Json = nlohmann::json;

constexpr const char* kFix = "write one object a line, with a value for each input: {\"image\": [[0.5, ...], ...]}";

// What is wrong with a value, and where in the line: "image[3][4] is a string".
struct BadValue {
  std::string what;
};

// By the first element of each list; fill() sees whether the others agree.
std::vector<std::int64_t> shape_of(const Json& json) {
  std::vector<std::int64_t> shape;
  for (const Json* value = &json; value->is_array(); value = &value->front()) {
    shape.push_back(static_cast<std::int64_t>(value->size()));
    if (value->empty()) break;
  }
  return shape;
}

template <typename T>
bool fits(const Json& value) {
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

bool is_float(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF32 || dtype == DType::kF64;
}

void set(NewTensor& tensor, std::size_t index, const Json& value, const std::string& place) {
  const DType dtype = tensor.tensor.view.dtype;
  const auto refuse = [&](const std::string& wanted) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "...";
    throw BadValue{format("{} is {}, not {}", place, text, wanted)};
  };
  if (value.is_array()) refuse("a number as its neighbours are");
  if (is_float(dtype)) {
    if (!value.is_number() && !value.is_null()) refuse("a number");
    set_number(dtype, tensor.bytes, index,
               value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  } else if (dtype == DType::kBool) {
    if (!value.is_boolean()) refuse("true or false");
    set_number(dtype, tensor.bytes, index, value.get<bool>() ? 1 : 0);
  } else {
    if (!value.is_number_integer()) refuse("a whole number");
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
      append_number(text, view, index++, "null", "1e999");
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

JsonLinesReader::JsonLinesReader(const std::filesystem::path& path, const Signature& signature)
    : lines_(path), signature_(signature) {}

std::optional<Sample> JsonLinesReader::next() {
  std::optional<std::string_view> line;
  do {
    line = lines_.next();
    if (!line) return std::nullopt;
  } while (line->find_first_not_of(" \t") == std::string_view::npos);
  try {
    Json json = Json::parse(*line);
    if (!json.is_object()) throw BadValue{"it is no object"};
    Sample sample{.name = lines_.where()};
    const auto is_input = [&](const char* name) {
      return std::ranges::find(signature_.inputs, name, &TensorSpec::name) != signature_.inputs.end();
    };
    if (json.contains("id") && !is_input("id")) {
      sample.id = json["id"].dump();
      json.erase("id");
    }
    if (json.contains("feeds") && !is_input("feeds") && json.size() == 1) {
      if (!json["feeds"].is_array() || json["feeds"].empty()) throw BadValue{"feeds is no list of objects"};
      for (const Json& feed : json["feeds"]) sample.feeds.push_back(feed_of(feed, signature_));
    } else {
      sample.feeds.push_back(feed_of(json, signature_));
    }
    return sample;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kData, "the line is not JSON", format("{} ({})", lines_.where(), error.what()), kFix);
  } catch (const BadValue& bad) {
    throw Error(ErrorKind::kData, "the line is no sample", format("{} ({})", lines_.where(), bad.what), kFix);
  }
}

void JsonLinesSink::take(const Sample& sample, std::span<const TensorView> outputs) {
  line_.clear();
  line_ += '{';
  if (!sample.id.empty()) line_.append("\"id\": ").append(sample.id);
  for (const TensorView& output : outputs) {
    if (line_.size() > 1) line_ += ", ";
    line_ += Json(output.name).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    std::size_t index = 0;
    append_tensor(line_, output, 0, index);
  }
  output_.write(line_ += "}\n");
}

}  // namespace base
