// epoch_progress.h: a progress bar for each epoch, and for each pass over other data.
#ifndef BASE_CALLBACKS_EPOCH_PROGRESS_H_
#define BASE_CALLBACKS_EPOCH_PROGRESS_H_

#include <memory>

#include "base/log/progress_bar.h"
#include "base/train/callback.h"

namespace base {

/// Rate, time left and loss. Where the length of an epoch is unknown, the first one only counts.
class EpochProgress final : public Callback {
 public:
  /// The console must outlive the callback; null: the standard one.
  explicit EpochProgress(Console* console = nullptr) : console_(console) {}

  std::string name() const override { return "epoch_progress"; }
  bool runs_in(Model::Mode /*mode*/) const override { return true; }
  void on_epoch_begin(const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;
  void on_epoch_end(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;

 private:
  void advance_pass(const TrainState& state);

  Console* console_;
  std::unique_ptr<ProgressBar> bar_;
  std::unique_ptr<ProgressBar>
      pass_bar_;  // over data that are not trained on; the figures that follow say how it ended
};

}  // namespace base

#endif  // BASE_CALLBACKS_EPOCH_PROGRESS_H_
