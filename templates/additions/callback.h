// <@ file_name @>.h: TODO(1/4): say in a sentence what it does and when.
#ifndef SRC_<@ upper(file_name) @>_H_
#define SRC_<@ upper(file_name) @>_H_

#include <base/log/log.h>
#include <base/train/callback.h>

#include <string>
#include <vector>

namespace <@ namespace @> {

class <@ class_name @> final : public base::Callback {
 public:
  std::string name() const override { return "<@ file_name @>"; }

  // TODO(2/4): choose your events; base/train/callback.h draws when each of them comes.
  void on_validation_end(const base::TrainState& state, base::TrainControl& /*control*/) override {
    ++validations_;
    base::log::info("validation {} came at step {}", validations_, state.step);
  }

  // TODO(3/4): name the tensors that you need of a batch, and in which modes; without any this is not called.
  bool runs_in(base::Model::Mode mode) const override { return mode == base::Model::Mode::kEval; }
  std::vector<std::string> needs() const override { return {}; }
  std::optional<base::Tensors> process(const base::Tensors& /*data*/, const base::TrainState& /*state*/,
                                       base::TrainControl& /*control*/) override {
    return base::Tensors{};
  }

  // TODO(4/4): what it has to remember when the run goes on after a stop.
  void save_state(base::State& state) const override { state.set("validations", validations_); }
  void load_state(const base::State& state) override { validations_ = state.get<std::int64_t>("validations"); }

 private:
  std::int64_t validations_ = 0;
};

}  // namespace <@ namespace @>

#endif  // SRC_<@ upper(file_name) @>_H_
