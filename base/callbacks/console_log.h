// console_log.h: the course of a run, as lines in the log.
#ifndef BASE_CALLBACKS_CONSOLE_LOG_H_
#define BASE_CALLBACKS_CONSOLE_LOG_H_

#include "base/train/callback.h"

namespace base {

/// The loss every so many steps, the results of each epoch and of each validation.
class ConsoleLog final : public Callback {
 public:
  struct Options {
    std::int64_t every_steps = 100;
  };
  explicit ConsoleLog(const Options& options) : options_(options) {}

  std::string name() const override { return "console_log"; }
  void on_begin(const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;
  void on_epoch_end(const TrainState& state, TrainControl& control) override;
  void on_validation_end(const TrainState& state, TrainControl& control) override;

 private:
  Options options_;
  std::int64_t last_step_ = 0;  // several batches may belong to one step
};

}  // namespace base

#endif  // BASE_CALLBACKS_CONSOLE_LOG_H_
