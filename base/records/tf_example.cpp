#include "base/records/tf_example.h"

#include <optional>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"

namespace base {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;
using protozero::tag_and_type;

// Field numbers of tensorflow/core/example/{example,feature}.proto.
constexpr protozero::pbf_tag_type kExampleFeatures = 1;
constexpr protozero::pbf_tag_type kFeaturesFeature = 1;
constexpr protozero::pbf_tag_type kEntryKey = 1;
constexpr protozero::pbf_tag_type kEntryValue = 2;
constexpr protozero::pbf_tag_type kBytesList = 1;
constexpr protozero::pbf_tag_type kFloatList = 2;
constexpr protozero::pbf_tag_type kInt64List = 3;
constexpr protozero::pbf_tag_type kListValue = 1;

constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 31) - 1;  // protobuf's own limit
constexpr auto kText = pbf_wire_type::length_delimited;

// protozero takes back a message that stays empty; but an empty list says of which kind it is.
void add_list(pbf_writer& feature, const std::vector<std::string>& values) {
  if (values.empty()) return feature.add_message(kBytesList, "", 0);
  pbf_writer list(feature, kBytesList);
  for (const std::string& value : values) list.add_bytes(kListValue, value);
}

void add_list(pbf_writer& feature, const std::vector<float>& values) {
  if (values.empty()) return feature.add_message(kFloatList, "", 0);
  pbf_writer list(feature, kFloatList);
  list.add_packed_float(kListValue, values.begin(), values.end());
}

void add_list(pbf_writer& feature, const std::vector<std::int64_t>& values) {
  if (values.empty()) return feature.add_message(kInt64List, "", 0);
  pbf_writer list(feature, kInt64List);
  list.add_packed_int64(kListValue, values.begin(), values.end());
}

// The bytes of the values, without what protobuf puts around them; integers at their longest.
std::uint64_t payload(const Feature& feature) {
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&feature)) return 10 * integers->size();
  if (const auto* floats = std::get_if<std::vector<float>>(&feature)) return sizeof(float) * floats->size();
  std::uint64_t bytes = 0;
  for (const std::string& value : std::get<std::vector<std::string>>(feature)) bytes += value.size() + 6;
  return bytes;
}

void read_list(pbf_reader list, std::vector<std::string>& values) {
  while (list.next(kListValue, kText)) values.push_back(list.get_bytes());
}

void read_list(pbf_reader list, std::vector<float>& values) {
  while (list.next()) {
    switch (list.tag_and_type()) {
      case tag_and_type(kListValue, kText): {
        const auto packed = list.get_packed_float();
        values.insert(values.end(), packed.begin(), packed.end());
        break;
      }
      case tag_and_type(kListValue, pbf_wire_type::fixed32):
        values.push_back(list.get_float());
        break;
      default:
        list.skip();
    }
  }
}

void read_list(pbf_reader list, std::vector<std::int64_t>& values) {
  while (list.next()) {
    switch (list.tag_and_type()) {
      case tag_and_type(kListValue, kText):
        for (const std::int64_t value : list.get_packed_int64()) values.push_back(value);
        break;
      case tag_and_type(kListValue, pbf_wire_type::varint):
        values.push_back(list.get_int64());
        break;
      default:
        list.skip();
    }
  }
}

// A list of the same kind as the one before continues it, one of another kind takes its place: as protobuf has it.
template <typename Values>
void read_into(std::optional<Feature>& feature, const pbf_reader& list) {
  if (!feature || !std::holds_alternative<Values>(*feature)) feature = Values{};
  read_list(list, std::get<Values>(*feature));
}

void read_feature(pbf_reader message, std::optional<Feature>& feature) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(kBytesList, kText):
        read_into<std::vector<std::string>>(feature, message.get_message());
        break;
      case tag_and_type(kFloatList, kText):
        read_into<std::vector<float>>(feature, message.get_message());
        break;
      case tag_and_type(kInt64List, kText):
        read_into<std::vector<std::int64_t>>(feature, message.get_message());
        break;
      default:
        message.skip();
    }
  }
}

void read_entry(pbf_reader entry, TfExample& example) {
  std::string name;
  std::optional<Feature> feature;
  while (entry.next()) {
    switch (entry.tag_and_type()) {
      case tag_and_type(kEntryKey, kText):
        name = entry.get_string();
        break;
      case tag_and_type(kEntryValue, kText):
        read_feature(entry.get_message(), feature);
        break;
      default:
        entry.skip();
    }
  }
  example.erase(name);
  if (feature) example.emplace(std::move(name), std::move(*feature));
}

}  // namespace

std::string encode_example(const TfExample& example) {
  std::uint64_t total = 0;
  for (const auto& [name, feature] : example) total += name.size() + payload(feature) + 32;
  if (total > kMostBytes) {
    throw Error(ErrorKind::kData, "an example is too large for a protobuf message", format("{} bytes", total),
                format("split it into examples of at most {} bytes", kMostBytes));
  }
  std::string bytes;
  pbf_writer message(bytes);
  pbf_writer features(message, kExampleFeatures);
  for (const auto& [name, feature] : example) {
    pbf_writer entry(features, kFeaturesFeature);
    entry.add_string(kEntryKey, name);
    pbf_writer value(entry, kEntryValue);
    std::visit([&](const auto& values) { add_list(value, values); }, feature);
  }
  features.commit();
  return bytes;
}

TfExample decode_example(std::span<const std::byte> bytes, std::string_view where) {
  TfExample example;
  try {
    pbf_reader message(protozero::data_view(text_of(bytes).data(), bytes.size()));
    while (message.next(kExampleFeatures, kText)) {
      pbf_reader features = message.get_message();
      while (features.next(kFeaturesFeature, kText)) read_entry(features.get_message(), example);
    }
  } catch (const protozero::exception&) {
    throw Error(ErrorKind::kData, "a record is not a tf.train.Example", std::string(where),
                "give a file whose records are examples, or read the records' bytes as they are");
  }
  return example;
}

}  // namespace base
