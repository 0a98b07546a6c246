// weight_average.h: the exponential moving average of the weights, which often does better than the weights themselves.
#ifndef BASE_TRAIN_WEIGHT_AVERAGE_H_
#define BASE_TRAIN_WEIGHT_AVERAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor/state.h"

namespace base {

/// Averages the parameters: average = d * average + (1 - d) * weights, with d = min(decay, (1 + n) / (10 + n)) in the
/// n-th update from 1, so that the first, untrained weights are soon forgotten. Buffers (batch statistics) stay the
/// model's own, as they are averages already.
class WeightAverage final : public Stateful {
 public:
  /// Starts with the weights as they are. The model's parameters must stay the same tensors, on their device.
  WeightAverage(torch::nn::Module& model, double decay);

  /// After a step of the optimizer.
  void update();

  /// Puts the average in place of the weights, and the weights back at its end, by exchanging what the parameters point
  /// to: no copying, and the optimizer's parameters stay the model's. Nothing may train, update or save meanwhile.
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
  /// A checkpoint Error that lists the names and shapes that do not match.
  void load_state(const State& state) override;

 private:
  void exchange();
  void refuse_while_swapped(const char* what) const;

  double decay_;
  std::int64_t updates_ = 0;
  bool swapped_ = false;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> weights_;  // the model's own
  std::vector<torch::Tensor> averages_;
};

}  // namespace base

#endif  // BASE_TRAIN_WEIGHT_AVERAGE_H_
