// pictures.h: what goes into a network and comes out of it, to be looked at.
#ifndef BASE_CALLBACKS_PICTURES_H_
#define BASE_CALLBACKS_PICTURES_H_

#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct PicturesSettings {
  std::vector<std::string> keys = {"image"};
  std::int64_t count = 16;

  void declare(Knobs& knobs);
};

/// The first rows of some tensors in each validation and prediction, for TensorBoard. The examples are the same each
/// time, so that one sees what the network learns to make of them. Values are stretched to the whole range from black
/// to white, unless they are bytes.
class Pictures final : public Callback {
 public:
  explicit Pictures(PicturesSettings settings) : settings_(std::move(settings)) {}

  std::string name() const override { return "pictures"; }
  bool runs_in(Model::Mode mode) const override { return mode != Model::Mode::kTrain; }
  std::vector<std::string> needs() const override { return settings_.keys; }
  std::optional<Tensors> process(const Tensors& data, const TrainState& state, TrainControl& control) override;

 private:
  PicturesSettings settings_;
};

}  // namespace base

#endif  // BASE_CALLBACKS_PICTURES_H_
