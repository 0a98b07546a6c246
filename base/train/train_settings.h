// train_settings.h: the knobs of a training run.
#ifndef BASE_TRAIN_TRAIN_SETTINGS_H_
#define BASE_TRAIN_TRAIN_SETTINGS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/config/knobs.h"
#include "base/data/data_settings.h"
#include "base/dist/gradient_sync.h"
#include "base/train/optimizer.h"
#include "base/train/schedule.h"

namespace base {

struct CheckpointSettings {
  std::int64_t every_steps = 0;          // 0: not by steps
  std::int64_t every_epochs = 1;         // 0: not by epochs
  std::chrono::milliseconds every = {};  // 0: not by time
  int keep_last = 3;
  int keep_best = 1;

  void declare(Knobs& knobs);
};

struct AverageSettings {
  double decay = 0.0;  // 0: no average
  bool evaluate = true;

  void declare(Knobs& knobs);
};

struct TrainSettings {
  // How long: whichever comes first.
  std::int64_t epochs = 5;
  std::int64_t steps = 0;
  std::chrono::milliseconds time = {};
  // Where and how it computes.
  std::string device = "auto";
  std::string precision = "fp32";
  std::string layout = "auto";
  int threads = 0;
  double gpu_memory = 1.0;
  // What makes two runs the same.
  std::uint64_t seed = 1;
  bool deterministic = false;
  // What is done with the gradients.
  std::int64_t accumulate = 1;
  double clip_norm = 0.0;
  double clip_value = 0.0;
  // What is looked at, and when.
  std::int64_t log_every = 100;
  std::int64_t validate_every_steps = 0;
  std::int64_t validate_every_epochs = 1;
  std::int64_t validation_batch_size = 0;
  std::string score = "loss";
  bool lower_is_better = true;
  bool smoke = false;

  OptimizerSettings optimizer = {};
  ScheduleSettings schedule = {};
  AverageSettings average = {};
  CheckpointSettings checkpoint = {};
  DataSettings data = {};
  DistSettings dist = {};

  void declare(Knobs& knobs);
  /// Whether a knob is about the machine: ranks may differ in it, and in no other.
  static bool is_of_machine(std::string_view key);
};

}  // namespace base

#endif  // BASE_TRAIN_TRAIN_SETTINGS_H_
