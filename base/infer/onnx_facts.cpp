#include "base/infer/onnx_facts.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <protozero/pbf_reader.hpp>

#include "base/log/error.h"
#include "base/records/bytes.h"
#include "base/records/mapped_file.h"
#include "base/records/sha256.h"

namespace base {
namespace {

constexpr int kDeepest = 64;  // graphs within graphs: more is an attack on the stack
constexpr std::int64_t kFloat16 = 10;
constexpr std::int64_t kBFloat16 = 16;

bool is_half_type(std::int64_t type) {
  return type == kFloat16 || type == kBFloat16;
}

// A field of another wire type than its own: protozero would only assert that there is none.
void require_type(const protozero::pbf_reader& reader, protozero::pbf_wire_type type) {
  if (!reader.has_wire_type(type)) throw protozero::unknown_pbf_wire_type_exception();
}

protozero::pbf_reader message_of(protozero::pbf_reader& reader) {
  require_type(reader, protozero::pbf_wire_type::length_delimited);
  return reader.get_message();
}

std::string_view view_of(protozero::pbf_reader& reader) {
  require_type(reader, protozero::pbf_wire_type::length_delimited);
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

std::int64_t integer_of(protozero::pbf_reader& reader) {
  require_type(reader, protozero::pbf_wire_type::varint);
  return reader.get_int64();
}

// The numbers of the fields are those of onnx.proto.
class FactReader {
 public:
  FactReader(const std::filesystem::path& model, OnnxFacts& facts) : folder_(model.parent_path()), facts_(facts) {}

  void read_model(protozero::pbf_reader model) {
    bool has_graph = false;
    while (model.next()) {
      if (model.tag() == 7) {
        has_graph = true;
        read_graph(message_of(model), 0);
      } else if (model.tag() == 25) {
        protozero::pbf_reader function = message_of(model);
        while (function.next(7)) read_node(message_of(function), 0);
      } else {
        model.skip();
      }
    }
    if (!has_graph) throw protozero::end_of_buffer_exception();
  }

 private:
  void read_graph(protozero::pbf_reader graph, int depth) {
    if (depth > kDeepest) throw protozero::invalid_length_exception();
    while (graph.next()) {
      switch (graph.tag()) {
        case 1:
          read_node(message_of(graph), depth);
          break;
        case 5:
          read_tensor(message_of(graph));
          break;
        case 11:
        case 12:
          read_value(message_of(graph));
          break;
        default:
          graph.skip();
      }
    }
  }

  void read_node(protozero::pbf_reader node, int depth) {
    bool is_cast = false;
    bool to_half = false;
    while (node.next()) {
      if (node.tag() == 4) {
        const std::string_view operation = view_of(node);
        facts_.is_quantized |= operation == "QuantizeLinear" || operation == "DequantizeLinear";
        is_cast = operation == "Cast";
      } else if (node.tag() == 5) {
        to_half |= is_half_type(read_attribute(message_of(node), depth));
      } else {
        node.skip();
      }
    }
    facts_.is_half |= is_cast && to_half;
  }

  /// The attribute's integer, if it is one.
  std::int64_t read_attribute(protozero::pbf_reader attribute, int depth) {
    std::int64_t integer = 0;
    while (attribute.next()) {
      switch (attribute.tag()) {
        case 3:
          integer = integer_of(attribute);
          break;
        case 5:
        case 10:
          read_tensor(message_of(attribute));
          break;
        case 6:
        case 11:
          read_graph(message_of(attribute), depth + 1);
          break;
        default:
          attribute.skip();
      }
    }
    return integer;
  }

  void read_tensor(protozero::pbf_reader tensor) {
    while (tensor.next()) {
      if (tensor.tag() == 2) {
        facts_.is_half |= is_half_type(integer_of(tensor));
      } else if (tensor.tag() == 13) {
        read_external(message_of(tensor));
      } else {
        tensor.skip();
      }
    }
  }

  void read_external(protozero::pbf_reader entry) {
    std::string_view key;
    std::string_view value;
    while (entry.next()) {
      if (entry.tag() == 1) {
        key = view_of(entry);
      } else if (entry.tag() == 2) {
        value = view_of(entry);
      } else {
        entry.skip();
      }
    }
    if (key == "location") add_file(value);
  }

  void add_file(std::string_view location) {
    const std::filesystem::path relative = std::filesystem::path(location).lexically_normal();
    if (location.empty() || relative.is_absolute() || *relative.begin() == "..") {
      throw Error(ErrorKind::kData, "the model keeps its weights outside of its folder: " + facts_.files[0].string(),
                  std::string(location), "take weights only from files beside the model");
    }
    const std::filesystem::path file = folder_ / relative;
    if (std::find(facts_.files.begin(), facts_.files.end(), file) == facts_.files.end()) facts_.files.push_back(file);
  }

  void read_value(protozero::pbf_reader value) {  // ValueInfoProto.type.tensor_type.elem_type
    while (value.next(2)) {
      protozero::pbf_reader type = message_of(value);
      while (type.next(1)) {
        protozero::pbf_reader tensor = message_of(type);
        while (tensor.next(1)) facts_.is_half |= is_half_type(integer_of(tensor));
      }
    }
  }

  std::filesystem::path folder_;
  OnnxFacts& facts_;
};

}  // namespace

OnnxFacts read_onnx_facts(const std::filesystem::path& model) {
  OnnxFacts facts;
  facts.files.push_back(model);
  const MappedFile file(model);
  try {
    const std::string_view text = text_of(file.bytes());
    FactReader(model, facts).read_model(protozero::pbf_reader(text.data(), text.size()));
  } catch (const protozero::exception&) {
    throw Error(ErrorKind::kData, "the file is no ONNX model, or a damaged one", model.string(), "export it again");
  }
  Sha256 sum;
  for (const std::filesystem::path& part : facts.files) {
    const MappedFile bytes(part);
    bytes.expect_sequential_reads();
    const std::uint64_t size = bytes.bytes().size();
    sum.append(std::as_bytes(std::span(&size, 1)));  // so that where one file ends is part of it
    sum.append(bytes.bytes());
  }
  facts.sha256 = sum.finish();
  return facts;
}

}  // namespace base
