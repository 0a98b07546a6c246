#include "base/torch.h"

#include "base/model/dropout.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

/// Well mixed 32 bits from a place and a seed (the finaliser of MurmurHash3, with the seed's halves before and after).
inline std::uint32_t hash(std::uint32_t place, std::uint32_t low, std::uint32_t high) {
  std::uint32_t x = place ^ low;
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= high;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  x ^= x >> 16;
  return x;
}

struct Draws {
  std::uint32_t low, high;  // the seed's halves
  std::uint32_t limit;      // what is drawn below it is dropped
  float scale;              // of what is kept
};

/// out = x * scale where the hash says so, else 0. Plain integers and floats, so that the compiler uses vectors.
[[gnu::always_inline]] inline void drop_run(const float* __restrict x, float* __restrict out, std::int32_t size,
                                            const Draws draws) {
  for (std::int32_t i = 0; i < size; ++i) {
    const std::uint32_t drawn = hash(static_cast<std::uint32_t>(i), draws.low, draws.high);
    out[i] = x[i] * (drawn >= draws.limit ? draws.scale : 0.0F);  // without a jump, which would be guessed wrong
  }
}

void drop_plainly(const float* x, float* out, std::int32_t size, const Draws& draws) {
  drop_run(x, out, size, draws);
}

#ifdef __x86_64__
// The same bits four times as fast: the baseline of x86-64 cannot multiply integers in vectors.
[[gnu::target("avx2")]] void drop_in_vectors(const float* x, float* out, std::int32_t size, const Draws& draws) {
  drop_run(x, out, size, draws);
}
const auto drop_fastest = __builtin_cpu_supports("avx2") ? drop_in_vectors : drop_plainly;
#else
constexpr auto drop_fastest = drop_plainly;
#endif

void drop(const float* x, float* out, std::int64_t size, std::uint64_t seed, double probability) {
  constexpr std::int64_t kRun = 1 << 30;  // places of 32 bits; the next run gets another seed
  Draws draws{.low = static_cast<std::uint32_t>(seed),
              .high = static_cast<std::uint32_t>(seed >> 32),
              .limit = static_cast<std::uint32_t>(probability * 0x1.0p32),
              .scale = static_cast<float>(1.0 / (1.0 - probability))};
  for (std::int64_t first = 0; first < size; first += kRun, ++draws.low)
    drop_fastest(x + first, out + first, static_cast<std::int32_t>(std::min(kRun, size - first)), draws);
}

/// `x` in the memory layout that `like` has, so that an element has the same place in both.
torch::Tensor laid_out(const torch::Tensor& x, torch::IntArrayRef strides) {
  if (x.strides() == strides) return x;
  return at::empty_strided(x.sizes(), strides, x.options()).copy_(x);
}

class Dropout final : public torch::autograd::Function<Dropout> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double probability,
                               std::int64_t seed) {
    context->saved_data["probability"] = probability;
    context->saved_data["seed"] = seed;
    context->saved_data["strides"] = x.strides().vec();
    const torch::Tensor out = at::empty_strided(x.sizes(), x.strides(), x.options());
    drop(x.const_data_ptr<float>(), out.mutable_data_ptr<float>(), x.numel(), static_cast<std::uint64_t>(seed),
         probability);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto strides = context->saved_data["strides"].toIntVector();
    const torch::Tensor gradient = laid_out(gradients[0], strides);
    const torch::Tensor out = at::empty_strided(gradient.sizes(), strides, gradient.options());
    drop(gradient.const_data_ptr<float>(), out.mutable_data_ptr<float>(), gradient.numel(),
         static_cast<std::uint64_t>(context->saved_data["seed"].toInt()),
         context->saved_data["probability"].toDouble());
    return {out, {}, {}};
  }
};

std::int64_t draw_seed() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return static_cast<std::int64_t>(at::check_generator<at::CPUGeneratorImpl>(generator)->random64());
}

}  // namespace

torch::Tensor fast_dropout(const torch::Tensor& x, double probability, bool training) {
  if (!(probability >= 0 && probability < 1)) {
    throw Error(ErrorKind::kUsage, "a probability of dropout is from 0 to 1, without 1", format("{}", probability),
                "give one in between, such as 0.5");
  }
  if (!training || probability == 0) return x;
  if (!x.is_cpu() || x.scalar_type() != torch::kFloat) return torch::dropout(x, probability, training);
  // Every element must have a place of its own, without gaps between them.
  return Dropout::apply(x.is_non_overlapping_and_dense() ? x : x.contiguous(), probability, draw_seed());
}

}  // namespace base
