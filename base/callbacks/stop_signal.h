// stop_signal.h: SIGTERM, SIGHUP, SIGUSR1 and Ctrl-C end a run between two steps, with a checkpoint, instead of in the
// middle of one.
#ifndef BASE_CALLBACKS_STOP_SIGNAL_H_
#define BASE_CALLBACKS_STOP_SIGNAL_H_

#include "base/train/callback.h"

namespace base {

/// Listens as long as it lives: a signal that comes before the first step ends the run after it. The same signal a
/// second time, after more than two seconds, ends the process at once, as it would without this. One at a time.
class StopSignal final : public Callback {
 public:
  /// The exit code of a program whose run was stopped: it is to be started again (sysexits.h calls it EX_TEMPFAIL).
  static constexpr int kExitCode = 75;

  StopSignal();
  ~StopSignal() override;
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  std::string name() const override { return "stop_signal"; }
  bool runs_everywhere() const override { return true; }  // a signal may come to any process
  bool runs_in(Model::Mode mode) const override { return mode != Model::Mode::kInfer; }  // a validation may take long
  void on_iteration_end(const TrainState& state, TrainControl& control) override;

  /// Whether one has come in this process.
  static bool received();
};

}  // namespace base

#endif  // BASE_CALLBACKS_STOP_SIGNAL_H_
