// buffer.h: gathers samples until they are to be looked at together.
#ifndef BASE_CALLBACKS_BUFFER_H_
#define BASE_CALLBACKS_BUFFER_H_

#include <map>
#include <string>
#include <vector>

#include "base/train/callback.h"

namespace base {

/// Takes the samples of `keys` from every batch. When the tensor `evaluate` of a batch has an element that is not zero,
/// or at the end of a validation or prediction, all that was gathered is given to process_buffer() and forgotten; what
/// that returns goes on to those who need it.
///
///     class Sequence final : public base::Buffer {
///      public:
///       Sequence() : Buffer({.keys = {"frame"}, .makes = {"film"}}) {}
///       std::string name() const override { return "sequence"; }
///       std::optional<base::Tensors> process_buffer(const base::Tensors& gathered, ...) override {
///         return base::Tensors{{"film", gathered["frame"].mean(0, /*keepdim=*/true)}};
///       }
///     };
///
class Buffer : public Callback {
 public:
  struct Options {
    std::vector<std::string> keys;
    std::vector<std::string> makes = {};
    std::string evaluate = "evaluate";  // the key of the flag; none has to come
    std::vector<Model::Mode> modes = {Model::Mode::kEval, Model::Mode::kInfer};
  };
  explicit Buffer(Options options) : options_(std::move(options)) {}

  bool runs_in(Model::Mode mode) const final;
  std::vector<std::string> needs() const final { return options_.keys; }
  std::vector<std::string> wants() const final { return {options_.evaluate}; }
  std::vector<std::string> makes() const final { return options_.makes; }
  std::optional<Tensors> process(const Tensors& data, const TrainState& state, TrainControl& control) final;
  void save_state(State& state) const override;
  void load_state(const State& state) override;

 protected:
  /// Each tensor has a row for every sample since the last time, in the order in which they came.
  virtual std::optional<Tensors> process_buffer(const Tensors& gathered, const TrainState& state,
                                                TrainControl& control) = 0;

 private:
  Options options_;
  std::map<std::string, std::vector<torch::Tensor>> batches_;  // by key
};

}  // namespace base

#endif  // BASE_CALLBACKS_BUFFER_H_
