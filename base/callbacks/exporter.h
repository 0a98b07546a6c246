// exporter.h: exports the model while it trains.
#ifndef BASE_CALLBACKS_EXPORTER_H_
#define BASE_CALLBACKS_EXPORTER_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/train/trainer.h"

namespace base {

struct ExporterSettings {
  std::int64_t every = 1;
  bool best_only = false;
  std::int64_t keep = 2;
  std::string precision = "fp32";
  std::string int8_engine = "tensorrt";
  std::int64_t calibration_batches = 16;

  void declare(Knobs& knobs);
};

/// Exports the weights that the trainer has now to exports/STEP in the folder of its run (STEP-fp16 and STEP-int8 in
/// another precision), and returns that folder. `project` is how the model is called.
std::filesystem::path export_run(Trainer& trainer, const ExporterSettings& settings, const std::string& project);

/// After validations, and at the end of a run without any: exports/STEP in the folder of the run, with averaged weights
/// if they are what is validated. A model that cannot be exported is told once, and trains on.
class Exporter final : public Callback {
 public:
  /// The trainer is the one that calls it.
  Exporter(const ExporterSettings& settings, Trainer& trainer, std::string project)
      : settings_(settings), trainer_(trainer), project_(std::move(project)) {}

  std::string name() const override { return "exporter"; }
  void on_validation_end(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;
  void save_state(State& state) const override;
  void load_state(const State& state) override;

 private:
  bool is_best(const TrainState& state);
  void export_now(const TrainState& state);

  ExporterSettings settings_;
  Trainer& trainer_;
  std::string project_;
  std::int64_t validations_ = 0;
  double best_ = 0;
  bool has_best_ = false;
  bool failed_ = false;
};

}  // namespace base

#endif  // BASE_CALLBACKS_EXPORTER_H_
