#include "base/torch.h"

#include "base/callbacks/splitting.h"

#include <algorithm>

#include "base/log/error.h"

namespace base {

std::vector<Tensors> split_batch(const Tensors& batch, std::span<const std::string> whole) {
  const Tensors here = batch.to(torch::kCPU);
  const auto is_whole = [&](const std::string& name) { return std::ranges::find(whole, name) != whole.end(); };
  std::vector<Tensors> samples;
  bool is_first = true;
  for (const auto& [name, tensor] : here) {
    if (is_whole(name)) continue;
    const auto rows = tensor.dim() > 0 ? static_cast<std::size_t>(tensor.size(0)) : 0;
    if (std::exchange(is_first, false)) samples.resize(rows);
    if (tensor.dim() == 0 || rows != samples.size()) {
      throw Error(ErrorKind::kData, "a tensor has no row for each sample of the batch", describe(here),
                  "name it in not_batched, if it is meant to be the same for all of them");
    }
  }
  for (const auto& [name, tensor] : here) {
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i].set(name, is_whole(name) ? tensor : tensor[static_cast<std::int64_t>(i)]);
  }
  return samples;
}

}  // namespace base
