// training_log.h: what came of a run, in the log that its author keeps.
#ifndef BASE_CALLBACKS_TRAINING_LOG_H_
#define BASE_CALLBACKS_TRAINING_LOG_H_

#include <filesystem>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct TrainingLogSettings {
  std::filesystem::path file = "training_log.md";

  void declare(Knobs& knobs);
};

/// At the end of a run, a line with its figures under "**Results**" in the section of the run's name; without such a
/// section a new one at the end of the file. The rest of it is the author's, and stays as it is.
class TrainingLog final : public Callback {
 public:
  explicit TrainingLog(TrainingLogSettings settings) : settings_(std::move(settings)) {}

  std::string name() const override { return "training_log"; }
  void on_end(const TrainState& state, TrainControl& control) override;

 private:
  TrainingLogSettings settings_;
};

/// `log` with the line added.
std::string with_result(const std::string& log, const std::string& run, const std::string& line);

}  // namespace base

#endif  // BASE_CALLBACKS_TRAINING_LOG_H_
