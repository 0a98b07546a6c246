#include "base/torch.h"

#include "base/callbacks/buffer.h"

#include <algorithm>

namespace base {

bool Buffer::runs_in(Model::Mode mode) const {
  return std::ranges::find(options_.modes, mode) != options_.modes.end();
}

std::optional<Tensors> Buffer::process(const Tensors& data, const TrainState& state, TrainControl& control) {
  for (const std::string& key : options_.keys) batches_[key].push_back(data[key].detach().to(torch::kCPU).clone());
  const torch::Tensor* const flag = data.find(options_.evaluate);
  const bool is_asked = flag != nullptr && flag->any().item<bool>();
  if (!is_asked && !state.is_last) return std::nullopt;
  Tensors gathered;
  for (const std::string& key : options_.keys) gathered.set(key, torch::cat(batches_[key]));
  batches_.clear();
  return process_buffer(gathered, state, control);
}

void Buffer::save_state(State& state) const {
  for (const auto& [key, batches] : batches_) state.set("gathered/" + key, torch::cat(batches));
}

void Buffer::load_state(const State& state) {
  batches_.clear();
  for (const std::string& key : options_.keys) {
    if (state.has("gathered/" + key)) batches_[key] = {state.get<torch::Tensor>("gathered/" + key)};
  }
}

}  // namespace base
