#include "base/infer/host_tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "base/log/error.h"
#include "base/records/half.h"

namespace base {
namespace {

constexpr std::align_val_t kCacheLine{64};

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);  // to the nearest, ties to even
}

template <typename T>
T element(const TensorView& view, std::size_t index) {
  T value;
  std::memcpy(&value, view.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void set_element(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

double mean_at(std::span<const TensorView> tensors, std::size_t index) {
  double sum = 0;
  for (const TensorView& tensor : tensors) sum += number_at(tensor, index);
  return sum / static_cast<double>(tensors.size());
}

// The bytes of the most frequent element.
std::span<const std::byte> mode_at(std::span<const TensorView> tensors, std::size_t index) {
  const std::size_t size = size_of(tensors.front().dtype);
  const auto at = [&](const TensorView& tensor) { return tensor.bytes.subspan(index * size, size); };
  std::span<const std::byte> mode;
  std::ptrdiff_t most = 0;
  // Up to where too few are left to be more. Of equals the first stays.
  for (auto left = tensors; most < std::ssize(left); left = left.subspan(1)) {
    const auto is_same = [&](const TensorView& other) { return std::ranges::equal(at(other), at(left.front())); };
    const auto count = std::ranges::count_if(left, is_same);
    if (count > most) most = count, mode = at(left.front());
  }
  return mode;
}

}  // namespace

NewTensor new_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape) {
  std::size_t bytes = size_of(dtype);
  for (const std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
  std::shared_ptr<void> memory(::operator new(std::max<std::size_t>(bytes, 1), kCacheLine),
                               [](void* block) { ::operator delete(block, kCacheLine); });
  const std::span<std::byte> span(static_cast<std::byte*>(memory.get()), bytes);
  return {{{.name = std::move(name), .dtype = dtype, .shape = std::move(shape), .bytes = span}, std::move(memory)},
          span};
}

HostTensor copy_of(const TensorView& view) {
  NewTensor copy = new_tensor(view.name, view.dtype, view.shape);
  if (!view.bytes.empty()) std::memcpy(copy.bytes.data(), view.bytes.data(), view.bytes.size());
  return std::move(copy.tensor);
}

HostTensor mean_or_mode_of(std::span<const TensorView> tensors) {
  const TensorView& first = tensors.front();
  for (const TensorView& other : tensors) {
    if (other.shape != first.shape) {
      throw Error(ErrorKind::kUsage, "answers of different shapes do not make one answer", first.name,
                  "collapse them in your way");
    }
  }
  NewTensor one = new_tensor(first.name, first.dtype, first.shape);
  const std::size_t size = size_of(first.dtype);
  for (std::size_t i = 0; i < first.bytes.size() / size; ++i) {
    if (is_floating(first.dtype)) {
      set_number(first.dtype, one.bytes, i, mean_at(tensors, i));
    } else {
      std::memcpy(one.bytes.data() + i * size, mode_at(tensors, i).data(), size);
    }
  }
  return std::move(one.tensor);
}

double number_at(const TensorView& view, std::size_t index) {
  switch (view.dtype) {
    case DType::kBool:
    case DType::kU8:
      return element<std::uint8_t>(view, index);
    case DType::kI8:
      return element<std::int8_t>(view, index);
    case DType::kI16:
      return element<std::int16_t>(view, index);
    case DType::kU16:
      return element<std::uint16_t>(view, index);
    case DType::kF16:
      return float_of(element<std::uint16_t>(view, index));
    case DType::kBF16:
      return from_bf16(element<std::uint16_t>(view, index));
    case DType::kI32:
      return element<std::int32_t>(view, index);
    case DType::kU32:
      return element<std::uint32_t>(view, index);
    case DType::kF32:
      return element<float>(view, index);
    case DType::kF64:
      return element<double>(view, index);
    case DType::kI64:
      return static_cast<double>(element<std::int64_t>(view, index));
    case DType::kU64:
      return static_cast<double>(element<std::uint64_t>(view, index));
  }
  return 0;
}

void set_number(DType dtype, std::span<std::byte> bytes, std::size_t index, double value) {
  switch (dtype) {
    case DType::kBool:
      return set_element<std::uint8_t>(bytes, index, value != 0 ? 1 : 0);
    case DType::kU8:
      return set_element(bytes, index, static_cast<std::uint8_t>(value));
    case DType::kI8:
      return set_element(bytes, index, static_cast<std::int8_t>(value));
    case DType::kI16:
      return set_element(bytes, index, static_cast<std::int16_t>(value));
    case DType::kU16:
      return set_element(bytes, index, static_cast<std::uint16_t>(value));
    case DType::kF16:
      return set_element(bytes, index, half_of(static_cast<float>(value)));
    case DType::kBF16:
      return set_element(bytes, index, to_bf16(static_cast<float>(value)));
    case DType::kI32:
      return set_element(bytes, index, static_cast<std::int32_t>(value));
    case DType::kU32:
      return set_element(bytes, index, static_cast<std::uint32_t>(value));
    case DType::kF32:
      return set_element(bytes, index, static_cast<float>(value));
    case DType::kF64:
      return set_element(bytes, index, value);
    case DType::kI64:
      return set_element(bytes, index, static_cast<std::int64_t>(value));
    case DType::kU64:
      return set_element(bytes, index, static_cast<std::uint64_t>(value));
  }
}

}  // namespace base
