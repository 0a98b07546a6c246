#include "base/torch.h"

#include "base/callbacks/projector_saver.h"

#include <algorithm>

namespace base {

void ProjectorSettings::declare(Knobs& knobs) {
  knobs.add("key", key, "the tensor whose rows are the points");
  knobs.add("labels_key", labels_key, "the tensor with a number for each, shown beside it; empty: none");
  knobs.add("pictures_key", pictures_key, "the tensor with a picture for each, shown in its place; empty: none");
  knobs.add("points", points, "how many at most", {.min = 1, .max = 100000});
}

std::vector<std::string> ProjectorSaver::wants() const {
  std::vector<std::string> keys;
  if (!settings_.labels_key.empty()) keys.push_back(settings_.labels_key);
  if (!settings_.pictures_key.empty()) keys.push_back(settings_.pictures_key);
  return keys;
}

void ProjectorSaver::on_validation_begin(const TrainState& /*state*/, TrainControl& /*control*/) {
  gathered_ = 0;
  points_.clear();
  pictures_.clear();
  labels_.clear();
}

std::optional<Tensors> ProjectorSaver::process(const Tensors& data, const TrainState& state, TrainControl& control) {
  const std::int64_t count = std::min(settings_.points - gathered_, data[settings_.key].size(0));
  if (count > 0) {
    gathered_ += count;
    points_.push_back(data[settings_.key].narrow(0, 0, count).flatten(1).to(torch::kCPU, torch::kFloat));
    if (const torch::Tensor* labels = data.find(settings_.labels_key)) {
      const torch::Tensor numbers = labels->narrow(0, 0, count).to(torch::kCPU, torch::kLong).contiguous();
      for (std::int64_t i = 0; i < count; ++i) labels_.push_back(std::to_string(numbers[i].item<std::int64_t>()));
    }
    if (const torch::Tensor* pictures = data.find(settings_.pictures_key))
      pictures_.push_back(pictures->narrow(0, 0, count).to(torch::kCPU));
  }
  if (state.is_last && !points_.empty()) {
    control.summary->embedding(settings_.key, torch::cat(points_), labels_,
                               pictures_.empty() ? torch::Tensor() : torch::cat(pictures_));
    on_validation_begin(state, control);
  }
  return Tensors{};
}

}  // namespace base
