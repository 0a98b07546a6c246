#include "base/torch.h"

#include "base/callbacks/profiler.h"

#define USE_KINETO  // LibTorch was built with it; its headers hide the trace without
#include <torch/csrc/autograd/profiler_kineto.h>

#include <cstdlib>
#include <optional>
#include <set>

#include "base/log/format.h"
#include "base/log/log.h"

namespace base {

using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

void ProfilerSettings::declare(Knobs& knobs) {
  knobs.add("every_steps", every_steps, "watch the steps after every so many", {.min = 1});
  knobs.add("steps", steps, "how many to watch", {.min = 1, .max = 1000});
  knobs.add("memory", memory, "what memory is taken and given back too");
}

/// From its making to its end all that this thread has done by LibTorch is written down.
class Profiler::Recording {
 public:
  Recording(bool with_memory, bool with_gpu) {
    setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0);  // it would tell of every start and stop
    const ProfilerConfig config(ProfilerState::KINETO, /*report_input_shapes=*/true, with_memory);
    std::set<ActivityType> activities{ActivityType::CPU};
    if (with_gpu) activities.insert(ActivityType::CUDA);
    torch::autograd::profiler::prepareProfiler(config, activities);
    torch::autograd::profiler::enableProfiler(config, activities);
  }
  ~Recording() {
    step_.reset();
    if (!is_done_) torch::autograd::profiler::disableProfiler();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void begin_step(std::int64_t number) {
    step_.emplace(at::RecordScope::USER_SCOPE);
    step_->before(format("ProfilerStep#{}", number));
    ++steps_;
  }
  void end_step() { step_.reset(); }
  std::int64_t steps() const { return steps_; }

  void save(const std::filesystem::path& path) {
    step_.reset();
    is_done_ = true;
    torch::autograd::profiler::disableProfiler()->save(path.string());
  }

 private:
  std::optional<at::RecordFunction> step_;
  std::int64_t steps_ = 0;
  bool is_done_ = false;
};

Profiler::Profiler(const ProfilerSettings& settings, torch::Device device)
    : settings_(settings), has_gpu_(device.is_cuda()) {}

Profiler::~Profiler() = default;

void Profiler::on_iteration_begin(const TrainState& state, TrainControl& /*control*/) {
  if (state.run.empty()) return;
  if (!recording_ && state.step > 0 && state.step % settings_.every_steps == 0)
    recording_ = std::make_unique<Recording>(settings_.memory, has_gpu_);
  if (recording_) recording_->begin_step(state.step);
}

void Profiler::on_iteration_end(const TrainState& state, TrainControl& /*control*/) {
  if (!recording_) return;
  recording_->end_step();
  if (recording_->steps() >= settings_.steps) finish(state);
}

void Profiler::finish(const TrainState& state) {
  if (!recording_) return;
  const std::filesystem::path path = state.run / format("trace-step-{}.json", state.step);
  recording_->save(path);
  recording_.reset();
  log::info("a trace of the last steps is in {}", path);
}

void Profiler::on_validation_begin(const TrainState& state, TrainControl& /*control*/) {
  finish(state);
}

void Profiler::on_end(const TrainState& state, TrainControl& /*control*/) {
  finish(state);
}

}  // namespace base
