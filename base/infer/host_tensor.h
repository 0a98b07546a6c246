// host_tensor.h: a tensor together with the memory that it looks at.
#ifndef BASE_INFER_HOST_TENSOR_H_
#define BASE_INFER_HOST_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/records/safetensors.h"

namespace base {

/// Copies share the memory. Without an owner, somebody else keeps the bytes for as long as they are looked at.
struct HostTensor {
  TensorView view;
  std::shared_ptr<const void> owner = {};
};

/// A tensor whose bytes are still to be written.
struct NewTensor {
  HostTensor tensor;
  std::span<std::byte> bytes;
};

/// Memory of its own, aligned to a cache line, not set to anything.
NewTensor new_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape);

/// A copy with memory of its own.
HostTensor copy_of(const TensorView& view);

/// One tensor of several of one type and shape, element by element: of floating-point numbers the mean; of whole
/// numbers and booleans, which have none, the most frequent value, among equals that of the earliest tensor. Tensors of
/// different shapes are a usage Error.
HostTensor mean_or_mode_of(std::span<const TensorView> tensors);

/// The element at `index` as a number. Whole numbers beyond 2^53 lose their last digits.
double number_at(const TensorView& view, std::size_t index);
/// Writes a number as an element of a floating-point type, or, within its range, of any other.
void set_number(DType dtype, std::span<std::byte> bytes, std::size_t index, double value);

}  // namespace base

#endif  // BASE_INFER_HOST_TENSOR_H_
