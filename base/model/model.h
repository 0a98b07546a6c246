// model.h: the class an author fills in to say what the network computes.
//
//     training, validation   batch -> preprocess -> forward -> loss, measure
//     serving                inputs -> preprocess -> forward -> postprocess -> answer
//
#ifndef BASE_MODEL_MODEL_H_
#define BASE_MODEL_MODEL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/metrics/metric.h"
#include "base/tensor/tensors.h"

namespace base {

/// The layers are registered as in any torch::nn::Module, and their names become the keys of checkpoints.
class Model : public torch::nn::Module {
 public:
  enum class Mode { kTrain, kEval, kInfer };

  /// One batch of the inputs as they are served, of any size but 0 and on the CPU: their names, types and shapes are
  /// the model's signature. Also what training takes from a batch; whatever else is in there (labels) is for loss() and
  /// measure().
  virtual Tensors example_inputs() const = 0;

  /// Axes of the inputs that may be of another size in each call of an exported model. Axes of the same name then are
  /// of the same size. By default the first axis of every input, "batch".
  struct DynamicAxis {
    std::string input;
    std::int64_t axis = 0;  // below 0: from the last
    std::string name;
  };
  virtual std::vector<DynamicAxis> dynamic_axes() const;

  /// From what is read to what the network takes; the same in training, validation and serving.
  virtual Tensors preprocess(Tensors inputs) const { return inputs; }

  /// The network.
  virtual Tensors forward(const Tensors& inputs) = 0;

  /// From what the network gives to what a served answer holds.
  virtual Tensors postprocess(Tensors outputs) const { return outputs; }

  /// A single number to make smaller.
  virtual torch::Tensor loss(const Tensors& outputs, const Tensors& batch) = 0;

  /// Adds a batch to the metrics to follow.
  virtual void measure(const Tensors& /*outputs*/, const Tensors& /*batch*/, Metrics& /*metrics*/) const {}

  /// Names an example of a batch for messages: its number, and its file where that is known.
  using NameOfExample = std::function<std::string(std::int64_t position)>;
  /// Throws a data Error if the network could not learn from the batch, a label out of range say (see check_labels).
  /// Called on the CPU, before the batch goes to its device.
  virtual void check(const Tensors& /*batch*/, const NameOfExample& /*name*/) const {}

  /// The whole way: preprocess and forward, and postprocess too in the mode kInfer. Whatever is not an input is left
  /// out.
  Tensors run(const Tensors& batch);

  /// kTrain switches dropout and batch statistics on, the others off. Batch norms whose parameters are frozen stay off
  /// (see freeze.h).
  void set_mode(Mode mode);
  Mode mode() const { return mode_; }

  /// True if its inputs are pictures (four dimensions) and it has convolutions of them: then the layout channels_last
  /// is faster.
  bool prefers_channels_last();

 private:
  Mode mode_ = Mode::kTrain;
  std::vector<std::string> input_names_;  // of example_inputs(), asked for once
};

/// Throws a data Error that names the first label below 0 or not below `classes`. Integers on the CPU.
void check_labels(const torch::Tensor& labels, std::int64_t classes, const Model::NameOfExample& name);

}  // namespace base

#endif  // BASE_MODEL_MODEL_H_
