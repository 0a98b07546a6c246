#include "base/torch.h"

#include "base/train/weight_average.h"

#include <algorithm>
#include <unordered_set>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"
#include "base/train/restore.h"

namespace base {

WeightAverage::WeightAverage(torch::nn::Module& model, double decay) : decay_(decay) {
  std::unordered_set<const void*> seen;  // shared weights are listed under each of their names
  for (const auto& parameter : model.named_parameters()) {
    if (!seen.insert(parameter.value().unsafeGetTensorImpl()).second) continue;
    names_.push_back(parameter.key());
    weights_.push_back(parameter.value());
    averages_.push_back(parameter.value().detach().clone());
  }
}

void WeightAverage::update() {
  refuse_while_swapped("update");
  const torch::NoGradGuard no_grad;
  ++updates_;
  const auto n = static_cast<double>(updates_);
  if (!weights_.empty()) at::_foreach_lerp_(averages_, weights_, 1 - std::min(decay_, (1 + n) / (10 + n)));
}

void WeightAverage::exchange() {
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    torch::Tensor held = weights_[i].variable_data();
    weights_[i].set_data(averages_[i]);
    averages_[i] = std::move(held);
  }
  swapped_ = !swapped_;
}

void WeightAverage::refuse_while_swapped(const char* what) const {
  if (!swapped_) return;
  throw Error(ErrorKind::kInternal, "the average stands in place of the weights", what,
              "let the WeightAverage::Swap end first");
}

WeightAverage::Swap::Swap(WeightAverage& average) : average_(average) {
  average_.refuse_while_swapped("another Swap");
  average_.exchange();
}

WeightAverage::Swap::~Swap() {
  average_.exchange();
}

void WeightAverage::save_state(State& state) const {
  refuse_while_swapped("save_state");
  state.set("updates", updates_);
  for (std::size_t i = 0; i < names_.size(); ++i) state.set(names_[i], averages_[i]);
}

void WeightAverage::load_state(const State& state) {
  refuse_while_swapped("load_state");
  const torch::NoGradGuard no_grad;
  const auto updates = state.get<std::int64_t>("updates");
  Mismatches mismatches;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto saved = state.tensors().find(names_[i]);
    if (saved == state.tensors().end()) {
      mismatches.add(names_[i] + " is not in the checkpoint");
    } else if (saved->second.sizes() != averages_[i].sizes()) {
      mismatches.add(
          format("{} is {} in the checkpoint and {} here", names_[i], describe(saved->second), describe(averages_[i])));
    }
  }
  for (const auto& [name, tensor] : state.tensors()) {
    if (std::ranges::find(names_, name) == names_.end()) mismatches.add(name + " is only in the checkpoint");
  }
  mismatches.refuse_any("the averaged weights");
  for (std::size_t i = 0; i < names_.size(); ++i) averages_[i].copy_(state.get<torch::Tensor>(names_[i]));
  updates_ = std::max<std::int64_t>(updates, 0);
}

}  // namespace base
