// trainer.h: how the model is trained. Fill in the TODOs from top to bottom, or leave them as they are.
#ifndef SRC_TRAINER_H_
#define SRC_TRAINER_H_

#include <base/train/trainer.h>

#include <vector>

namespace <@ namespace @> {

class Trainer final : public base::Trainer {
 public:
  using base::Trainer::Trainer;

 protected:
  torch::Tensor training_step(const base::Tensors& batch, base::Tensors& outputs) override {
    // TODO(1/3): the loss of one batch; what the network gives goes to `outputs`, from where it is measured.
    outputs = model().run(batch);
    return model().loss(outputs, batch);
  }

  base::Tensors validation_step(const base::Tensors& batch, base::Metrics& metrics) override {
    // TODO(2/3): add one batch of validation to the metrics; what the network gives is for callbacks.
    return base::Trainer::validation_step(batch, metrics);
  }

  std::vector<base::ParameterGroup> parameter_groups() override {
    // TODO(3/3): parameters that move in different ways go into different groups.
    return base::Trainer::parameter_groups();
  }
};

}  // namespace <@ namespace @>

#endif  // SRC_TRAINER_H_
