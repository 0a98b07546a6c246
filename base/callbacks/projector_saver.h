// projector_saver.h: what a network makes of its inputs, as points for TensorBoard's projector.
#ifndef BASE_CALLBACKS_PROJECTOR_SAVER_H_
#define BASE_CALLBACKS_PROJECTOR_SAVER_H_

#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct ProjectorSettings {
  std::string key;
  std::string labels_key = "label";
  std::string pictures_key;
  std::int64_t points = 2000;

  void declare(Knobs& knobs);
};

/// The first `points` rows of a tensor in each validation; the last one is what the projector shows.
class ProjectorSaver final : public Callback {
 public:
  explicit ProjectorSaver(ProjectorSettings settings) : settings_(std::move(settings)) {}

  std::string name() const override { return "projector"; }
  bool runs_in(Model::Mode mode) const override { return mode == Model::Mode::kEval; }
  std::vector<std::string> needs() const override { return {settings_.key}; }
  std::vector<std::string> wants() const override;
  std::optional<Tensors> process(const Tensors& data, const TrainState& state, TrainControl& control) override;
  void on_validation_begin(const TrainState& state, TrainControl& control) override;

 private:
  ProjectorSettings settings_;
  std::int64_t gathered_ = 0;
  std::vector<torch::Tensor> points_;
  std::vector<torch::Tensor> pictures_;
  std::vector<std::string> labels_;
};

}  // namespace base

#endif  // BASE_CALLBACKS_PROJECTOR_SAVER_H_
