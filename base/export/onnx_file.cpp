#include "base/export/onnx_file.h"

#include <array>
#include <protozero/pbf_builder.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include "base/export/onnx_check.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/output_file.h"

namespace base {
namespace {

using protozero::pbf_builder;
using protozero::pbf_tag_type;

// Messages of onnx/onnx.proto: the fields that are written, with their numbers.
enum class ModelField : pbf_tag_type {
  kIrVersion = 1,
  kProducerName = 2,
  kGraph = 7,
  kOpsetImport = 8,
  kMetadata = 14
};
enum class OpsetField : pbf_tag_type { kDomain = 1, kVersion = 2 };
enum class EntryField : pbf_tag_type { kKey = 1, kValue = 2 };
enum class GraphField : pbf_tag_type {
  kNode = 1,
  kName = 2,
  kInitializer = 5,
  kInput = 11,
  kOutput = 12,
  kValueInfo = 13
};
enum class NodeField : pbf_tag_type { kInput = 1, kOutput = 2, kName = 3, kOperation = 4, kAttribute = 5 };
enum class AttributeField : pbf_tag_type {
  kName = 1,
  kFloat = 2,
  kInt = 3,
  kString = 4,
  kTensor = 5,
  kFloats = 7,
  kInts = 8,
  kStrings = 9,
  kType = 20
};
enum class TensorField : pbf_tag_type {
  kDims = 1,
  kDataType = 2,
  kName = 8,
  kRawData = 9,
  kExternalData = 13,
  kDataLocation = 14
};
enum class ValueField : pbf_tag_type { kName = 1, kType = 2 };
enum class TypeField : pbf_tag_type { kTensor = 1 };
enum class TensorTypeField : pbf_tag_type { kElement = 1, kShape = 2 };
enum class ShapeField : pbf_tag_type { kDim = 1 };
enum class DimField : pbf_tag_type { kValue = 1, kName = 2 };

constexpr int kExternalLocation = 1;
constexpr std::uint64_t kPage = 4096;  // readers map the weights; other systems ask for more, none for less

/// AttributeProto.AttributeType of each alternative of OnnxAttribute, in their order.
constexpr std::array<int, 7> kAttributeTypes = {2, 1, 3, 7, 6, 8, 4};
static_assert(kAttributeTypes.size() == std::variant_size_v<OnnxAttribute>);

/// The first version of the format that knows the operators of the opset: the older, the more readers take it.
std::int64_t ir_version(std::int64_t opset) {
  return opset <= 18 ? 8 : opset <= 20 ? 9 : opset <= 22 ? 10 : 11;
}

/// All of a TensorProto but its bytes.
std::string tensor_head(const TensorView& tensor) {
  std::string bytes;
  pbf_builder<TensorField> message(bytes);
  for (const std::int64_t size : tensor.shape) message.add_int64(TensorField::kDims, size);
  message.add_int32(TensorField::kDataType, static_cast<std::int32_t>(onnx_type(tensor.dtype)));
  if (!tensor.name.empty()) message.add_string(TensorField::kName, tensor.name);
  return bytes;
}

std::string whole_tensor(const TensorView& tensor) {
  std::string bytes = tensor_head(tensor);
  const std::string_view data = text_of(tensor.bytes);
  pbf_builder<TensorField>(bytes).add_bytes(TensorField::kRawData, data.data(), data.size());
  return bytes;
}

std::string attribute_message(const std::string& name, const OnnxAttribute& attribute) {
  std::string bytes;
  pbf_builder<AttributeField> message(bytes);
  message.add_string(AttributeField::kName, name);
  message.add_enum(AttributeField::kType, kAttributeTypes.at(attribute.index()));
  const auto add = [&]<typename T>(const T& value) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      message.add_int64(AttributeField::kInt, value);
    } else if constexpr (std::is_same_v<T, double>) {
      message.add_float(AttributeField::kFloat, static_cast<float>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      message.add_bytes(AttributeField::kString, value);
    } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      for (const std::int64_t one : value) message.add_int64(AttributeField::kInts, one);
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      for (const double one : value) message.add_float(AttributeField::kFloats, static_cast<float>(one));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      for (const std::string& one : value) message.add_bytes(AttributeField::kStrings, one);
    } else {
      message.add_message(AttributeField::kTensor, whole_tensor(value.view));
    }
  };
  std::visit(add, attribute);
  return bytes;
}

std::string node_message(const OnnxNode& node) {
  std::string bytes;
  pbf_builder<NodeField> message(bytes);
  for (const std::string& input : node.inputs) message.add_string(NodeField::kInput, input);
  for (const std::string& output : node.outputs) message.add_string(NodeField::kOutput, output);
  if (!node.name.empty()) message.add_string(NodeField::kName, node.name);
  message.add_string(NodeField::kOperation, node.operation);
  for (const auto& [name, attribute] : node.attributes)
    message.add_message(NodeField::kAttribute, attribute_message(name, attribute));
  return bytes;
}

std::string value_message(const std::string& name, DType dtype, const std::vector<Axis>& axes) {
  std::string bytes;
  {  // a message within another is complete when its builder ends
    pbf_builder<ValueField> message(bytes);
    message.add_string(ValueField::kName, name);
    pbf_builder<TypeField> type(message, ValueField::kType);
    pbf_builder<TensorTypeField> tensor(type, TypeField::kTensor);
    tensor.add_int32(TensorTypeField::kElement, static_cast<std::int32_t>(onnx_type(dtype)));
    std::string shape_bytes;  // written also if it is empty: a shape of no axes is not an unknown one
    pbf_builder<ShapeField> shape(shape_bytes);
    for (const Axis& axis : axes) {
      pbf_builder<DimField> dim(shape, ShapeField::kDim);
      if (axis.is_dynamic()) {
        dim.add_string(DimField::kName, axis.name);
      } else {
        dim.add_int64(DimField::kValue, axis.size);
      }
    }
    tensor.add_message(TensorTypeField::kShape, shape_bytes);
  }
  return bytes;
}

std::string entry_message(const std::string& key, const std::string& value) {
  std::string bytes;
  pbf_builder<EntryField> message(bytes);
  message.add_string(EntryField::kKey, key);
  message.add_string(EntryField::kValue, value);
  return bytes;
}

/// The start of a field with a length: bytes follow that are not in memory in one piece.
template <typename Field>
std::string field_start(Field field, std::uint64_t length) {
  constexpr std::uint32_t kLengthDelimited = 2;
  std::string bytes;
  protozero::write_varint(std::back_inserter(bytes), (static_cast<std::uint32_t>(field) << 3U) | kLengthDelimited);
  protozero::write_varint(std::back_inserter(bytes), length);
  return bytes;
}

/// A model cut into what is small (texts made here) and what is large (bytes of the weights, which stay where they
/// are).
class Pieces {
 public:
  Pieces(const OnnxGraph& graph, const std::string& data_name, std::uint64_t least_external_bytes) {
    add_graph_head(graph);
    std::uint64_t graph_bytes = graph_head_.size();
    for (const OnnxTensor& constant : graph.initializers) {
      const bool external = !data_name.empty() && constant.view.bytes.size() >= least_external_bytes;
      Weight weight{.head = tensor_head(constant.view), .bytes = constant.view.bytes, .external = external};
      if (external) {
        refer(weight, data_name);
      } else {
        weight.head += field_start(TensorField::kRawData, weight.bytes.size());
      }
      const std::uint64_t length = weight.head.size() + (external ? 0 : weight.bytes.size());
      weight.head.insert(0, field_start(GraphField::kInitializer, length));
      graph_bytes += weight.head.size() + (external ? 0 : weight.bytes.size());
      weights_.push_back(std::move(weight));
    }
    add_model_head(graph);
    head_ += field_start(ModelField::kGraph, graph_bytes);
    model_bytes_ = head_.size() + graph_bytes;
  }

  std::uint64_t model_bytes() const { return model_bytes_; }

  void write_model(OutputFile& file) const {
    file.append(bytes_of(head_));
    file.append(bytes_of(graph_head_));
    for (const Weight& weight : weights_) {
      file.append(bytes_of(weight.head));
      if (!weight.external) file.append(weight.bytes);
    }
  }

  void write_data(OutputFile& file) const {
    static constexpr std::array<std::byte, kPage> kZeros{};
    for (const Weight& weight : weights_) {
      if (!weight.external) continue;
      file.append(std::span(kZeros).first(weight.offset - file.size()));
      file.append(weight.bytes);
    }
  }

 private:
  struct Weight {
    std::string head;
    std::span<const std::byte> bytes;
    bool external = false;
    std::uint64_t offset = 0;  // in the file of external data
  };

  void refer(Weight& weight, const std::string& data_name) {
    weight.offset = (data_end_ + kPage - 1) / kPage * kPage;
    data_end_ = weight.offset + weight.bytes.size();
    pbf_builder<TensorField> message(weight.head);
    message.add_message(TensorField::kExternalData, entry_message("location", data_name));
    message.add_message(TensorField::kExternalData, entry_message("offset", std::to_string(weight.offset)));
    message.add_message(TensorField::kExternalData, entry_message("length", std::to_string(weight.bytes.size())));
    message.add_enum(TensorField::kDataLocation, kExternalLocation);
  }

  void add_graph_head(const OnnxGraph& graph) {
    pbf_builder<GraphField> message(graph_head_);
    message.add_string(GraphField::kName, graph.name);
    std::set<std::string_view> known;
    for (const OnnxTensor& constant : graph.initializers) known.insert(constant.view.name);
    for (const TensorSpec& input : graph.signature.inputs) {
      known.insert(input.name);
      message.add_message(GraphField::kInput, value_message(input.name, input.dtype, input.axes));
    }
    for (const TensorSpec& output : graph.signature.outputs) {
      known.insert(output.name);
      message.add_message(GraphField::kOutput, value_message(output.name, output.dtype, output.axes));
    }
    for (const OnnxNode& node : graph.nodes) {
      message.add_message(GraphField::kNode, node_message(node));
      for (const std::string& output : node.outputs) {
        const auto value = graph.values.find(output);
        if (value == graph.values.end() || known.contains(output)) continue;
        message.add_message(GraphField::kValueInfo, value_message(output, value->second.dtype, value->second.axes));
      }
    }
  }

  void add_model_head(const OnnxGraph& graph) {
    pbf_builder<ModelField> message(head_);
    message.add_int64(ModelField::kIrVersion, ir_version(graph.opset));
    message.add_string(ModelField::kProducerName, "scaffold");
    {
      pbf_builder<OpsetField> opset(message, ModelField::kOpsetImport);
      opset.add_string(OpsetField::kDomain, "");
      opset.add_int64(OpsetField::kVersion, graph.opset);
    }
    for (const auto& [key, value] : graph.metadata)
      message.add_message(ModelField::kMetadata, entry_message(key, value));
  }

  std::string head_;        // of the model, up to the length of its graph
  std::string graph_head_;  // of the graph: all but the weights
  std::vector<Weight> weights_;
  std::uint64_t model_bytes_ = 0;
  std::uint64_t data_end_ = 0;
};

/// A file under another name until it is whole; without publish() nothing is left of it.
class Draft {
 public:
  explicit Draft(std::filesystem::path path) : path_(std::move(path)), file_(path_.string() + ".partial") {}
  ~Draft() {
    std::error_code ignored;
    if (!published_) std::filesystem::remove(file_.path(), ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  OutputFile& file() { return file_; }

  void publish() {
    std::error_code failure;
    std::filesystem::rename(file_.path(), path_, failure);
    if (failure) {
      throw Error(ErrorKind::kData, "the file cannot be renamed", format("{} ({})", path_, failure.message()),
                  "check that its folder may be written and that no folder has its name");
    }
    published_ = true;
  }

 private:
  std::filesystem::path path_;
  OutputFile file_;
  bool published_ = false;
};

void finish(OutputFile& file, bool sync) {
  if (sync) file.sync();
  file.close();
}

}  // namespace

std::int64_t onnx_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return 1;
    case DType::kU8:
      return 2;
    case DType::kI8:
      return 3;
    case DType::kU16:
      return 4;
    case DType::kI16:
      return 5;
    case DType::kI32:
      return 6;
    case DType::kI64:
      return 7;
    case DType::kBool:
      return 9;
    case DType::kF16:
      return 10;
    case DType::kF64:
      return 11;
    case DType::kU32:
      return 12;
    case DType::kU64:
      return 13;
    case DType::kBF16:
      return 16;
  }
  throw Error(ErrorKind::kInternal, "ONNX has no such type", std::to_string(static_cast<int>(dtype)), "");
}

std::vector<std::filesystem::path> write_onnx(const OnnxGraph& graph, const std::filesystem::path& path,
                                              const OnnxWriteOptions& options) {
  if (const std::string problem = problem_of(graph); !problem.empty())
    throw Error(ErrorKind::kExport, "the graph of the model is not whole", problem, "report this model");
  const std::filesystem::path data_path = path.string() + ".data";
  Pieces pieces(graph, "", 0);
  const bool split = pieces.model_bytes() > options.most_bytes;
  if (split) pieces = Pieces(graph, data_path.filename().string(), options.least_external_bytes);
  if (pieces.model_bytes() > options.most_bytes) {
    throw Error(ErrorKind::kExport, "the model is too large without its weights",
                format("{} bytes, at most {}", pieces.model_bytes(), options.most_bytes), "export a smaller network");
  }

  std::vector<std::filesystem::path> written = {path};
  Draft model(path);
  pieces.write_model(model.file());
  finish(model.file(), options.sync);
  if (split) {
    Draft data(data_path);
    pieces.write_data(data.file());
    finish(data.file(), options.sync);
    data.publish();  // before the model, which refers to it
    written.push_back(data_path);
  }
  model.publish();
  return written;
}

}  // namespace base
