// work.h: how much there is to compute in a step, as far as it decides how to compute it.
#ifndef BASE_TRAIN_WORK_H_
#define BASE_TRAIN_WORK_H_

#include "base/model/model.h"

namespace base {

/// How many multiplications, about, the network needs for one example: those of its matrix products and convolutions,
/// and one for each number that another operation takes. Counted in a trace of it on the CPU;
/// infinite if it has operations whose work cannot be seen from the sizes of what they take, or cannot be traced.
double work_per_example(Model& model);

/// Whether a step of so many examples is done sooner by one thread than by several, which would spend more time on
/// waiting for each other. It depends on the network and the batch alone, never on the clock, so that a run can be
/// repeated.
bool is_small_step(double work_per_example, std::int64_t examples);

}  // namespace base

#endif  // BASE_TRAIN_WORK_H_
