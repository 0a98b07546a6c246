#include "base/torch.h"

#include "base/callbacks/standard.h"

#include "base/callbacks/checkpoint_saver.h"
#include "base/callbacks/console_log.h"
#include "base/callbacks/epoch_progress.h"

namespace base {

void add_standard_callbacks(Trainer& trainer) {
  trainer.add(std::make_unique<EpochProgress>());
  trainer.add(std::make_unique<ConsoleLog>(ConsoleLog::Options{.every_steps = trainer.settings().log_every}));
  trainer.add(std::make_unique<CheckpointSaver>(trainer.settings().checkpoint));
}

}  // namespace base
