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
  std::int64_t warmup_steps = 0;              // of any kind: linearly up to what the kind starts with
  std::int64_t period = 0;                    // step, exponential: in steps of training
  std::vector<std::int64_t> milestones = {};  // multi_step
  double factor = 0.1;                        // step, multi_step, exponential, plateau
  double final_factor = 0.0;                  // cosine, polynomial, one_cycle: of the learning rate at the end
  double power = 1.0;                         // polynomial
  double rise = 0.3;                          // one_cycle: the part of the run in which it rises
  double start_factor = 0.04;                 // one_cycle: of the learning rate at the start
  std::int64_t patience = 5;                  // plateau: validations without progress that are borne
  double threshold = 1e-4;                    // plateau: what counts as progress, relative to the best so far

  void declare(Knobs& knobs);
};

/// A factor on the learning rate. With s the steps since the warm-up ended, and n the steps from there to the run's
/// end, the factor is, as PyTorch's schedulers of these names have it,
///
///     constant      1
///     step          factor ^ floor(s / period)
///     multi_step    factor ^ (how many milestones s has reached)
///     exponential   factor ^ (s / period)
///     cosine        final_factor + (1 - final_factor) * (1 + cos(pi * s / n)) / 2
///     polynomial    final_factor + (1 - final_factor) * (1 - s / n) ^ power
///     one_cycle     half a cosine from start_factor up to 1, then one from 1 down to final_factor in the last step
///     plateau       factor ^ (how often more than `patience` validations in a row made no progress)
///
/// In the warm-up it is what the kind starts with (plateau: stands at) times (step + 1) / warmup_steps. The kinds'
/// clock starts after it, so milestones and periods count from there. Past the end of the run it stays at its last
/// value.
///
/// factor() depends on the step alone, except for plateau, which remembers what it observed.
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
