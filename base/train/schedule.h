// schedule.h: how the learning rate changes over a run.
#ifndef BASE_TRAIN_SCHEDULE_H_
#define BASE_TRAIN_SCHEDULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/tensor/state.h"

namespace base {

struct ScheduleSettings {
  std::string kind = "constant";
  std::int64_t warmup_steps = 0;         // of any kind: linearly up to the learning rate
  std::int64_t period = 0;               // step, exponential: in steps of training
  std::vector<std::int64_t> milestones;  // multi-step
  double factor = 0.1;                   // step, multi-step, exponential, plateau
  double final_factor = 0.0;             // cosine, polynomial, one-cycle: of the learning rate at the end
  double power = 1.0;                    // polynomial
  double rise = 0.3;                     // one-cycle: the part of the run in which it rises
  double start_factor = 0.04;            // one-cycle: of the learning rate at the start
  std::int64_t patience = 5;             // plateau: validations without progress
  double threshold = 1e-4;               // plateau: what counts as progress, relative

  void declare(Knobs& knobs);
};

/// A factor on the learning rate. The kinds that depend on the step alone have no state; plateau remembers what it saw.
class Schedule : public Stateful {
 public:
  /// `total_steps` of the whole run, for the kinds that go by it; 0: unknown, which those refuse with a config Error.
  static std::unique_ptr<Schedule> make(const ScheduleSettings& settings, std::int64_t total_steps);

  /// For the step with this number, from 0.
  virtual double factor(std::int64_t step) const = 0;
  /// After each validation, with the figure that is watched; `lower_is_better` as for checkpoints.
  virtual void observe(double /*score*/, bool /*lower_is_better*/) {}
};

}  // namespace base

#endif  // BASE_TRAIN_SCHEDULE_H_
