#include "base/torch.h"

#include "base/callbacks/pictures.h"

#include <algorithm>

namespace base {
namespace {

/// From 0 to 1.
torch::Tensor stretched(const torch::Tensor& values) {
  if (values.scalar_type() == torch::kUInt8 || values.numel() == 0) return values;
  const torch::Tensor numbers = values.to(torch::kFloat);
  const torch::Tensor low = numbers.min();
  return (numbers - low) / (numbers.max() - low).clamp_min(1e-12);
}

}  // namespace

void PicturesSettings::declare(Knobs& knobs) {
  knobs.add("keys", keys,
            "the tensors to show, by name: [rows, height, width] or [rows, 1 or 3, height, width]; [rows, columns] is "
            "one picture");
  knobs.add("count", count, "how many rows", {.min = 1, .max = 1000});
}

std::optional<Tensors> Pictures::process(const Tensors& data, const TrainState& state, TrainControl& control) {
  if (state.iteration != 1 || !control.summary->is_on()) return Tensors{};  // the first batch only
  for (const std::string& key : settings_.keys) {
    torch::Tensor rows = data[key];
    if (rows.dim() == 3) rows = rows.unsqueeze(1);
    if (rows.dim() > 0) rows = rows.narrow(0, 0, std::min(settings_.count, rows.size(0)));
    control.summary->image(key, stretched(rows.to(torch::kCPU)), state.step);
  }
  return Tensors{};
}

}  // namespace base
