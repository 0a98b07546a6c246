#include "base/torch.h"

#include "base/tensor/tensor_view.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

constexpr std::array<std::pair<DType, torch::ScalarType>, 13> kTypes = {{
    {DType::kBool, torch::kBool},
    {DType::kU8, torch::kUInt8},
    {DType::kI8, torch::kInt8},
    {DType::kI16, torch::kInt16},
    {DType::kU16, torch::kUInt16},
    {DType::kF16, torch::kFloat16},
    {DType::kBF16, torch::kBFloat16},
    {DType::kI32, torch::kInt32},
    {DType::kU32, torch::kUInt32},
    {DType::kF32, torch::kFloat32},
    {DType::kF64, torch::kFloat64},
    {DType::kI64, torch::kInt64},
    {DType::kU64, torch::kUInt64},
}};

DType dtype_of(const std::string& name, const torch::Tensor& tensor) {
  for (const auto& [dtype, type] : kTypes)
    if (type == tensor.scalar_type()) return dtype;
  throw Error(ErrorKind::kUsage, "a safetensors file holds no tensors of this type",
              format("{} {}", name, describe(tensor)), "convert it, complex numbers with torch::view_as_real say");
}

// LibTorch refuses strides that overflow, of empty tensors too.
bool fits(const TensorView& view) {
  auto bytes = static_cast<std::int64_t>(size_of(view.dtype));
  bool empty = false;
  for (const std::int64_t size : view.shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes)) return false;
    empty |= size == 0;
  }
  return (empty ? 0 : static_cast<std::size_t>(bytes)) == view.bytes.size();
}

}  // namespace

TensorView view_of(std::string name, const torch::Tensor& tensor) {
  if (!tensor.defined() || tensor.layout() != torch::kStrided || !tensor.is_cpu() || !tensor.is_contiguous()) {
    throw Error(ErrorKind::kInternal, "only dense, contiguous tensors on the CPU can be viewed",
                format("{} {}", name, describe(tensor)), "");
  }
  const DType dtype = dtype_of(name, tensor);
  return {.name = std::move(name),
          .dtype = dtype,
          .shape = tensor.sizes().vec(),
          .bytes = {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}};
}

torch::ScalarType scalar_type(DType dtype) {
  return std::ranges::find(kTypes, dtype, &std::pair<DType, torch::ScalarType>::first)->second;
}

torch::Tensor tensor_of(const TensorView& view) {
  if (!fits(view)) {
    throw Error(ErrorKind::kData, "the bytes of a tensor do not fit its shape", view.name,
                "fetch or write the file again");
  }
  torch::Tensor tensor = torch::empty(view.shape, scalar_type(view.dtype));
  // A copy, not from_blob: the bytes of a file need not be aligned.
  if (!view.bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
  return tensor;
}

}  // namespace base
