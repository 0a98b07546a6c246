#include "base/export/onnx_tensor.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/log/error.h"
#include "base/records/half.h"

namespace base {
namespace {

float float_of_bfloat(std::uint16_t number) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(number) << 16U);
}

std::uint16_t bfloat_of(float number) {
  if (std::isnan(number)) return 0x7fc0;
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16U) & 1U)) >> 16U);
}

/// Calls take(number) for each one, in the widest type that holds it.
template <typename T, typename Take>
void read_as(std::span<const std::byte> bytes, const Take& take) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T number;
    std::memcpy(&number, bytes.data() + at, sizeof(T));  // weights in mapped files need not be aligned
    take(number);
  }
}

template <typename Take>
void read(const TensorView& view, const Take& take) {
  switch (view.dtype) {
    case DType::kBool:
      return read_as<std::uint8_t>(view.bytes, [&](std::uint8_t number) { take(number != 0 ? 1 : 0); });
    case DType::kU8:
      return read_as<std::uint8_t>(view.bytes, take);
    case DType::kI8:
      return read_as<std::int8_t>(view.bytes, take);
    case DType::kI16:
      return read_as<std::int16_t>(view.bytes, take);
    case DType::kU16:
      return read_as<std::uint16_t>(view.bytes, take);
    case DType::kI32:
      return read_as<std::int32_t>(view.bytes, take);
    case DType::kU32:
      return read_as<std::uint32_t>(view.bytes, take);
    case DType::kI64:
      return read_as<std::int64_t>(view.bytes, take);
    case DType::kU64:
      return read_as<std::uint64_t>(view.bytes, take);
    case DType::kF32:
      return read_as<float>(view.bytes, take);
    case DType::kF64:
      return read_as<double>(view.bytes, take);
    case DType::kF16:
      return read_as<std::uint16_t>(view.bytes, [&](std::uint16_t half) { take(float_of(half)); });
    case DType::kBF16:
      return read_as<std::uint16_t>(view.bytes, [&](std::uint16_t number) { take(float_of_bfloat(number)); });
  }
  throw Error(ErrorKind::kInternal, "a constant has no such type", view.name, "");
}

template <typename T, typename Convert>
OnnxTensor write_as(const OnnxTensor& tensor, DType dtype, const Convert& convert) {
  std::vector<T> numbers;
  numbers.reserve(count_of(tensor));
  read(tensor.view, [&](auto number) { numbers.push_back(convert(number)); });
  return make_tensor(tensor.view.name, dtype, tensor.view.shape, std::move(numbers));
}

template <typename T>
OnnxTensor write_as(const OnnxTensor& tensor, DType dtype) {
  return write_as<T>(tensor, dtype, [](auto number) { return static_cast<T>(number); });
}

}  // namespace

std::size_t count_of(const OnnxTensor& tensor) {
  return tensor.view.bytes.size() / size_of(tensor.view.dtype);
}

std::vector<float> to_floats(const OnnxTensor& tensor) {
  std::vector<float> numbers;
  numbers.reserve(count_of(tensor));
  read(tensor.view, [&](auto number) { numbers.push_back(static_cast<float>(number)); });
  return numbers;
}

OnnxTensor converted(const OnnxTensor& tensor, DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return write_as<std::uint8_t>(tensor, dtype, [](auto number) { return std::uint8_t{number != 0}; });
    case DType::kU8:
      return write_as<std::uint8_t>(tensor, dtype);
    case DType::kI8:
      return write_as<std::int8_t>(tensor, dtype);
    case DType::kI16:
      return write_as<std::int16_t>(tensor, dtype);
    case DType::kU16:
      return write_as<std::uint16_t>(tensor, dtype);
    case DType::kI32:
      return write_as<std::int32_t>(tensor, dtype);
    case DType::kU32:
      return write_as<std::uint32_t>(tensor, dtype);
    case DType::kI64:
      return write_as<std::int64_t>(tensor, dtype);
    case DType::kU64:
      return write_as<std::uint64_t>(tensor, dtype);
    case DType::kF32:
      return write_as<float>(tensor, dtype);
    case DType::kF64:
      return write_as<double>(tensor, dtype);
    case DType::kF16:
      return write_as<std::uint16_t>(tensor, dtype, [](auto number) { return half_of(static_cast<float>(number)); });
    case DType::kBF16:
      return write_as<std::uint16_t>(tensor, dtype, [](auto number) { return bfloat_of(static_cast<float>(number)); });
  }
  throw Error(ErrorKind::kInternal, "a constant cannot have such a type", tensor.view.name, "");
}

}  // namespace base
