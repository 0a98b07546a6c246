// profiler.h: where the time goes, operator by operator.
#ifndef BASE_CALLBACKS_PROFILER_H_
#define BASE_CALLBACKS_PROFILER_H_

#include <memory>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct ProfilerSettings {
  std::int64_t every_steps = 1000;
  std::int64_t steps = 3;
  bool memory = true;

  void declare(Knobs& knobs);
};

/// Every so often it watches a few steps and writes them as trace-step-N.json to the run's folder, for chrome://tracing
/// or ui.perfetto.dev: each operator, a marker for each step, and the memory that was taken and given back.
class Profiler final : public Callback {
 public:
  Profiler(const ProfilerSettings& settings, torch::Device device);
  ~Profiler() override;

  std::string name() const override { return "profiler"; }
  void on_iteration_begin(const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;
  void on_validation_begin(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;

 private:
  class Recording;

  void finish(const TrainState& state);

  ProfilerSettings settings_;
  bool has_gpu_;
  std::unique_ptr<Recording> recording_;  // while it watches
};

}  // namespace base

#endif  // BASE_CALLBACKS_PROFILER_H_
