// trial_report.h: tells Vertex AI's search for hyper-parameters how good a trial is.
#ifndef BASE_CALLBACKS_TRIAL_REPORT_H_
#define BASE_CALLBACKS_TRIAL_REPORT_H_

#include <filesystem>
#include <memory>
#include <string>

#include "base/train/callback.h"

namespace base {

/// After each validation, a line of JSON for each of its figures.
class TrialReport final : public Callback {
 public:
  TrialReport(std::filesystem::path file, std::string trial) : file_(std::move(file)), trial_(std::move(trial)) {}

  /// For the trial that this process is, as the environment says (CLOUD_ML_TRIAL_ID, CLOUD_ML_HP_METRIC_FILE); null if
  /// it is none.
  static std::unique_ptr<TrialReport> of_process();

  std::string name() const override { return "trial_report"; }
  void on_validation_end(const TrainState& state, TrainControl& control) override;

 private:
  std::filesystem::path file_;
  std::string trial_;
};

}  // namespace base

#endif  // BASE_CALLBACKS_TRIAL_REPORT_H_
