// program_worker.cpp: the smallest program of a project, which program_ranks_test.py starts as several ranks.
#include "base/torch.h"

#include <signal.h>

#include "base/app/app.h"
#include "base/log/log.h"
#include "tests/train/small_run.h"

namespace {

using namespace base;
using namespace base::testing;

struct WorkerSettings : SmallSettings {
  std::int64_t width = 1;  // nothing that a Trainer would know of
  std::int64_t fail_at = 0;

  void declare(Knobs& knobs) {
    SmallSettings::declare(knobs);
    knobs.add("width", width, "changes nothing");
    knobs.add("fail_at", fail_at, "the step at which the second rank is killed, unless it was started again; 0: none");
  }
};

class WorkerModel : public SmallModel {
 public:
  explicit WorkerModel(const WorkerSettings& /*settings*/) {}
};

class WorkerData : public TensorLoader {
 public:
  WorkerData(const WorkerSettings& /*settings*/, Part /*part*/)
      : TensorLoader({{"x", torch::linspace(-1, 1, 120).view({-1, 3})}, {"target", torch::linspace(-1, 1, 40)}}) {}
};

class Failure final : public Callback {
 public:
  explicit Failure(const WorkerSettings& settings) : step_(settings.fail_at), world_(World::from_environment()) {}
  std::string name() const override { return "failure"; }
  bool runs_everywhere() const override { return true; }
  void on_iteration_end(const TrainState& state, TrainControl& /*control*/) override {
    if (state.step == step_ && world_.rank == 1 && world_.restarts == 0) raise(SIGKILL);
  }

 private:
  std::int64_t step_;
  World world_;
};

}  // namespace

int main(int argc, char** argv) {
  App<WorkerSettings> app("small");
  app.add_model<WorkerModel>("model");
  app.add_data_loader<WorkerData>("data_loader");
  app.add_trainer<Trainer>("trainer");
  app.add_callback<Failure>("failure");
  return app.run(argc, argv);
}
