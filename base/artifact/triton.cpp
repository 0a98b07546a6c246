#include "base/artifact/triton.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 13> kTypes = {{
    {DType::kBool, "TYPE_BOOL"},
    {DType::kU8, "TYPE_UINT8"},
    {DType::kI8, "TYPE_INT8"},
    {DType::kI16, "TYPE_INT16"},
    {DType::kU16, "TYPE_UINT16"},
    {DType::kF16, "TYPE_FP16"},
    {DType::kBF16, "TYPE_BF16"},
    {DType::kI32, "TYPE_INT32"},
    {DType::kU32, "TYPE_UINT32"},
    {DType::kF32, "TYPE_FP32"},
    {DType::kF64, "TYPE_FP64"},
    {DType::kI64, "TYPE_INT64"},
    {DType::kU64, "TYPE_UINT64"},
}};

std::string_view type_of(DType dtype) {
  for (const auto& [type, name] : kTypes)
    if (type == dtype) return name;
  throw Error(ErrorKind::kInternal, "a type that Triton does not know", std::string(name_of(dtype)), "");
}

// Of a text between quotes in protobuf's text format.
std::string pbtxt_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += format("\\{:03o}", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string tensors_text(std::string_view field, const std::vector<TensorSpec>& tensors, std::size_t first_axis) {
  std::string text;
  for (const TensorSpec& spec : tensors) {
    std::string dims;
    for (std::size_t i = first_axis; i < spec.axes.size(); ++i)
      dims += format("{}{}", dims.empty() ? "" : ", ", spec.axes[i].is_dynamic() ? -1 : spec.axes[i].size);
    // Triton has no scalars: a shape of nothing is [1], and reshape {} says so. With a batch it is one number a row.
    const char* reshape = dims.empty() ? " reshape { shape: [ ] }" : "";
    text += format("{} {{ name: {} data_type: {} dims: [ {} ]{} }}\n", field, pbtxt_text(spec.name),
                   type_of(spec.dtype), dims.empty() ? "1" : dims, reshape);
  }
  return text;
}

}  // namespace

std::string triton_config(const std::string& model, const Signature& signature, int max_batch) {
  const bool batched = has_batch_axis(signature);
  std::string text =
      format("# For Triton Inference Server.\nname: {}\nplatform: \"onnxruntime_onnx\"\nmax_batch_size: {}\n",
             pbtxt_text(model), batched ? max_batch : 0);
  text += tensors_text("input", signature.inputs, batched ? 1 : 0);
  text += tensors_text("output", signature.outputs, batched ? 1 : 0);
  if (batched) text += "dynamic_batching { }\n";
  return text;
}

}  // namespace base
