#include "base/torch.h"

#include "base/callbacks/trial_report.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/log/error.h"

namespace base {

std::unique_ptr<TrialReport> TrialReport::of_process() {
  const char* const trial = std::getenv("CLOUD_ML_TRIAL_ID");
  const char* const file = std::getenv("CLOUD_ML_HP_METRIC_FILE");
  if (trial == nullptr && file == nullptr) return {};
  return std::make_unique<TrialReport>(file != nullptr ? file : "/tmp/hypertune/output.metrics",
                                       trial != nullptr ? trial : "0");
}

void TrialReport::on_validation_end(const TrainState& state, TrainControl& /*control*/) {
  std::error_code ignored;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), ignored);
  std::ofstream file(file_, std::ios::app);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  for (const auto& [name, value] : state.validation) {
    if (!std::isfinite(value)) continue;  // JSON has no word for it
    // Numbers are texts there, as Google's own reporter writes them.
    file << nlohmann::json{{"timestamp", now.count()},
                           {"trial", trial_},
                           {name, nlohmann::json(value).dump()},
                           {"global_step", std::to_string(state.step)}}
         << std::endl;
  }
  if (!file) {
    throw Error(ErrorKind::kConfig, "the figures of the trial cannot be written", file_.string(),
                "set CLOUD_ML_HP_METRIC_FILE to a file that can be written");
  }
}

}  // namespace base
