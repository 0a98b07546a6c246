#include "base/model/flatten.h"

namespace base {

torch::Tensor flatten_pictures(const torch::Tensor& x) {
  const auto layout = x.suggest_memory_format();
  if (layout == torch::MemoryFormat::ChannelsLast && x.requires_grad())
    x.register_hook(
        [](const torch::Tensor& gradient) { return gradient.contiguous(torch::MemoryFormat::ChannelsLast); });
  return x.flatten(1);
}

}  // namespace base
