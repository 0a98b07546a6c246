// kpi.h: figures of one's own for what a model is really for, measured over a whole validation.
#ifndef BASE_CALLBACKS_KPI_H_
#define BASE_CALLBACKS_KPI_H_

#include <string>
#include <vector>

#include "base/train/callback.h"

namespace base {

/// Takes `keys` from every batch and gives its figures at the end of the pass. In validation they join those of the
/// model: the log, TensorBoard, the score, the checkpoint's metrics and what is exported with it all have them. In a
/// prediction they are logged and written to TensorBoard.
///
///     class Revenue final : public base::Kpi {
///      public:
///       Revenue() : Kpi({"class", "price"}) {}
///       std::string name() const override { return "revenue"; }
///       void update(const base::Tensors& data) override { total_ += ...; }
///       base::Results evaluate() override { return {{"revenue", std::exchange(total_, 0)}}; }
///     };
///
class Kpi : public Callback {
 public:
  explicit Kpi(std::vector<std::string> keys) : keys_(std::move(keys)) {}

  bool runs_in(Model::Mode mode) const override { return mode != Model::Mode::kTrain; }
  std::vector<std::string> needs() const final { return keys_; }
  std::optional<Tensors> process(const Tensors& data, const TrainState& state, TrainControl& control) final;
  bool has_results() const final { return true; }
  void add_results(const TrainState& state, Results& results) final;

 protected:
  virtual void update(const Tensors& data) = 0;
  /// Of all batches since the last time; begins anew.
  virtual Results evaluate() = 0;

 private:
  std::vector<std::string> keys_;
};

}  // namespace base

#endif  // BASE_CALLBACKS_KPI_H_
