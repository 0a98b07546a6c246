// <@ file_name @>.h: TODO(1/2): say in a sentence how it trains.
//
//     --trainer <@ file_name @>
//
#ifndef SRC_<@ upper(file_name) @>_H_
#define SRC_<@ upper(file_name) @>_H_

#include <base/train/trainer.h>

namespace <@ namespace @> {

class <@ class_name @> final : public base::Trainer {
 public:
  using base::Trainer::Trainer;

 protected:
  // TODO(2/2): the loss of one batch; what the network gives goes to `outputs`, from where it is measured.
  torch::Tensor training_step(const base::Tensors& batch, base::Tensors& outputs) override {
    outputs = model().run(batch);
    return model().loss(outputs, batch);
  }
};

}  // namespace <@ namespace @>

#endif  // SRC_<@ upper(file_name) @>_H_
