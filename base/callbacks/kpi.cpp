#include "base/torch.h"

#include "base/callbacks/kpi.h"

#include <cmath>

#include "base/log/log.h"

namespace base {

std::optional<Tensors> Kpi::process(const Tensors& data, const TrainState& state, TrainControl& control) {
  update(data);
  if (state.mode == Model::Mode::kInfer && state.is_last) {
    for (const auto& [name, value] : evaluate()) {
      if (std::isnan(value)) {
        log::warn("{} is not a number for these data: it is left out", name);
        continue;
      }
      log::info("{} {:.4f}", name, value);
      control.summary->scalar(name, value, state.summary_step);
    }
  }
  return Tensors{};
}

void Kpi::add_results(const TrainState& /*state*/, Results& results) {
  for (auto& result : evaluate()) results.push_back(std::move(result));
}

}  // namespace base
