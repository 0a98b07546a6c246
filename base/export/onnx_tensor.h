// onnx_tensor.h: constants of an OnnxGraph, made and read.
#ifndef BASE_EXPORT_ONNX_TENSOR_H_
#define BASE_EXPORT_ONNX_TENSOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/export/onnx_graph.h"

namespace base {

/// A constant that owns its numbers; their type must be what `dtype` says.
template <typename T>
OnnxTensor make_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape, std::vector<T> numbers) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(numbers));
  const auto bytes = std::as_bytes(std::span(*owner));
  return {.view = {std::move(name), dtype, std::move(shape), bytes}, .owner = std::move(owner)};
}

/// How many numbers the constant has.
std::size_t count_of(const OnnxTensor& tensor);

/// Its numbers as F32, whatever they are (of large integers the nearest ones).
std::vector<float> to_floats(const OnnxTensor& tensor);

/// The constant in another type, with the rules of ONNX's Cast: F32 to I64 cuts off, anything but 0 is true.
/// Only for constants that are as small as those that a graph computes with: it takes two copies.
OnnxTensor converted(const OnnxTensor& tensor, DType dtype);

}  // namespace base

#endif  // BASE_EXPORT_ONNX_TENSOR_H_
