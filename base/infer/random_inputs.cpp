#include "base/infer/random_inputs.h"

#include <bit>
#include <cstring>
#include <random>

#include "base/records/half.h"

namespace base {
namespace {

void fill(TensorView& view, std::vector<std::byte>& bytes, std::mt19937_64& random) {
  const std::size_t size = size_of(view.dtype);
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const std::uint64_t draw = random();
    const double unit = static_cast<double>(draw >> 11U) * 0x1p-52 - 1;  // from -1 to 1
    std::uint64_t value = draw >> 40U & 1U;
    switch (view.dtype) {
      case DType::kF64:
        value = std::bit_cast<std::uint64_t>(unit);
        break;
      case DType::kF32:
        value = std::bit_cast<std::uint32_t>(static_cast<float>(unit));
        break;
      case DType::kBF16:
        value = std::bit_cast<std::uint32_t>(static_cast<float>(unit)) >> 16U;
        break;
      case DType::kF16:
        value = half_of(static_cast<float>(unit));
        break;
      case DType::kU8:
        value = draw >> 40U & 255U;
        break;
      default:
        break;
    }
    std::memcpy(bytes.data() + at, &value, size);
  }
}

}  // namespace

RandomInputs::RandomInputs(const Signature& signature, const std::map<std::string, std::int64_t>& sizes,
                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (const TensorSpec& spec : signature.inputs) {
    TensorView& view =
        views_.emplace_back(TensorView{.name = spec.name, .dtype = spec.dtype, .shape = {}, .bytes = {}});
    std::size_t count = size_of(spec.dtype);
    for (const Axis& axis : spec.axes) {
      const auto found = axis.is_dynamic() ? sizes.find(axis.name) : sizes.end();
      view.shape.push_back(found != sizes.end() ? found->second : axis.size);
      count *= static_cast<std::size_t>(view.shape.back());
    }
    std::vector<std::byte>& bytes = bytes_.emplace_back(count);
    fill(view, bytes, random);
    view.bytes = bytes;
  }
}

}  // namespace base
