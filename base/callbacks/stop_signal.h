// stop_signal.h: SIGTERM, SIGUSR1 and Ctrl-C end a run between two steps, with a checkpoint, instead of in the middle
// of one.
#ifndef BASE_CALLBACKS_STOP_SIGNAL_H_
#define BASE_CALLBACKS_STOP_SIGNAL_H_

#include "base/train/callback.h"

namespace base {

/// Listens from on_begin() to its end. A second signal ends the process at once, as it would without this. One at a
/// time.
class StopSignal final : public Callback {
 public:
  /// The exit code of a program whose run was stopped: it is to be started again (sysexits.h calls it EX_TEMPFAIL).
  static constexpr int kExitCode = 75;

  ~StopSignal() override;
  std::string name() const override { return "stop_signal"; }
  bool runs_everywhere() const override { return true; }  // a signal may come to any process
  void on_begin(const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;

  /// Whether one has come in this process.
  static bool received();

 private:
  bool listens_ = false;
};

}  // namespace base

#endif  // BASE_CALLBACKS_STOP_SIGNAL_H_
