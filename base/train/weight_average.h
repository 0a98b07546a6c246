// weight_average.h: the exponential moving average of the weights, which often does better than the weights themselves.
#ifndef BASE_TRAIN_WEIGHT_AVERAGE_H_
#define BASE_TRAIN_WEIGHT_AVERAGE_H_

#include <memory>
#include <vector>

#include "base/tensor/state.h"

namespace base {

/// Averages the parameters; buffers (batch statistics) are taken over as they are.
class WeightAverage final : public Stateful {
 public:
  WeightAverage(torch::nn::Module& model, double decay);

  /// After a step of the optimizer.
  void update();

  /// Puts the average in place of the weights, and the weights back at its end. Nothing may train meanwhile.
  class Swap {
   public:
    explicit Swap(WeightAverage& average);
    ~Swap();
    Swap(const Swap&) = delete;
    Swap& operator=(const Swap&) = delete;

   private:
    WeightAverage& average_;
  };

  void save_state(State& state) const override;
  void load_state(const State& state) override;

 private:
  void exchange();

  double decay_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> weights_;  // the model's own
  std::vector<torch::Tensor> averages_;
};

}  // namespace base

#endif  // BASE_TRAIN_WEIGHT_AVERAGE_H_
