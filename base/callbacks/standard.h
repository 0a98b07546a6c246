// standard.h: the callbacks that nearly every run wants.
#ifndef BASE_CALLBACKS_STANDARD_H_
#define BASE_CALLBACKS_STANDARD_H_

#include "base/train/trainer.h"

namespace base {

/// Log, progress bar and checkpoints, as its settings say.
void add_standard_callbacks(Trainer& trainer);

}  // namespace base

#endif  // BASE_CALLBACKS_STANDARD_H_
