// when.h: what tests of a training ask: do something at an event, and say what error comes out.
#ifndef TESTS_TRAIN_WHEN_H_
#define TESTS_TRAIN_WHEN_H_

#include <base/log/error.h>
#include <base/train/callback.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace base::testing {

inline std::string error_of(const std::function<void()>& action, ErrorKind kind) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "none";
}

/// Does one thing at one event.
class When final : public Callback {
 public:
  using Action = std::function<void(const std::string& event, const TrainState&, TrainControl&)>;
  explicit When(Action action, bool in_validation = false)
      : action_(std::move(action)), in_validation_(in_validation) {}
  bool runs_in(Model::Mode mode) const override {
    return mode == Model::Mode::kTrain || (in_validation_ && mode == Model::Mode::kEval);
  }
  std::string name() const override { return "when"; }
  void on_begin(const TrainState& s, TrainControl& c) override { action_("begin", s, c); }
  void on_epoch_begin(const TrainState& s, TrainControl& c) override { action_("epoch_begin", s, c); }
  void on_iteration_begin(const TrainState& s, TrainControl& c) override { action_("iteration_begin", s, c); }
  void on_iteration_end(const TrainState& s, TrainControl& c) override { action_("iteration_end", s, c); }
  void on_epoch_end(const TrainState& s, TrainControl& c) override { action_("epoch_end", s, c); }
  void on_validation_begin(const TrainState& s, TrainControl& c) override { action_("validation_begin", s, c); }
  void on_validation_end(const TrainState& s, TrainControl& c) override { action_("validation_end", s, c); }
  void on_checkpoint(const TrainState& s, TrainControl& c) override { action_("checkpoint", s, c); }
  void on_end(const TrainState& s, TrainControl& c) override { action_("end", s, c); }

 private:
  Action action_;
  bool in_validation_;  // its batches too
};

}  // namespace base::testing

#endif  // TESTS_TRAIN_WHEN_H_
