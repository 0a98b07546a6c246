// callback_settings.h: which callbacks a run has, and their knobs:
//
//     [callbacks]
//     use = ["console_log", "checkpoint_saver", "profiler"]
//     [callbacks.profiler]
//     every_steps = 500
//
#ifndef BASE_CALLBACKS_CALLBACK_SETTINGS_H_
#define BASE_CALLBACKS_CALLBACK_SETTINGS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/callbacks/early_stopping.h"
#include "base/callbacks/exporter.h"
#include "base/callbacks/histograms.h"
#include "base/callbacks/pictures.h"
#include "base/callbacks/profiler.h"
#include "base/callbacks/projector_saver.h"
#include "base/callbacks/record_saver.h"
#include "base/callbacks/report.h"
#include "base/callbacks/sample_saver.h"
#include "base/callbacks/speed.h"
#include "base/callbacks/tensor_board.h"
#include "base/callbacks/training_log.h"
#include "base/config/knobs.h"
#include "base/train/trainer.h"

namespace base {

struct CallbackSettings {
  std::vector<std::string> use = {"epoch_progress", "console_log", "tensor_board",    "speed",
                                  "report",         "exporter",    "checkpoint_saver"};
  std::string on_error = "stop";
  std::string project = "model";  // how exported models are called; not a knob

  TensorBoardSettings tensor_board = {};
  SpeedSettings speed = {};
  EarlyStoppingSettings early_stopping = {};
  SampleSaverSettings sample_saver = {};
  RecordSaverSettings record_saver = {};
  ProfilerSettings profiler = {};
  PicturesSettings pictures = {};
  ProjectorSettings projector = {};
  HistogramsSettings histograms = {};
  TrainingLogSettings training_log = {};
  ReportSettings report = {};
  ExporterSettings exporter = {};

  /// `own` are the names of callbacks that a project adds to those of the library.
  void declare(Knobs& knobs, const std::vector<std::string>& own = {});
};

/// A callback of a project, by the name that it has in `use`.
struct OwnCallback {
  std::string name;
  std::function<std::unique_ptr<Callback>()> make;
};

/// Makes what `use` names, in that order, and adds it. `values` are the settings of the program by name, to compare
/// runs by.
void add_callbacks(Trainer& trainer, const CallbackSettings& settings = {}, const std::vector<OwnCallback>& own = {},
                   const std::vector<std::pair<std::string, std::string>>& values = {});

}  // namespace base

#endif  // BASE_CALLBACKS_CALLBACK_SETTINGS_H_
