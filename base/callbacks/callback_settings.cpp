#include "base/torch.h"

#include "base/callbacks/callback_settings.h"

#include <algorithm>
#include <charconv>

#include "base/callbacks/checkpoint_saver.h"
#include "base/callbacks/console_log.h"
#include "base/callbacks/epoch_progress.h"
#include "base/log/error.h"

namespace base {
namespace {

struct Parts {
  Trainer& trainer;
  const CallbackSettings& settings;
  const std::vector<HyperParameter>& hyper_parameters;
};
struct Ready {
  std::string_view name;
  std::unique_ptr<Callback> (*make)(const Parts& parts);
};

std::unique_ptr<Callback> make_early_stopping(const Parts& parts) {
  EarlyStoppingSettings settings = parts.settings.early_stopping;
  const TrainSettings& train = parts.trainer.settings();
  if (settings.figure.empty()) settings.figure = train.score;
  if (settings.figure == train.score) settings.lower_is_better = train.lower_is_better;
  return std::make_unique<EarlyStopping>(settings);
}

std::unique_ptr<Callback> make_tensor_board(const Parts& parts) {
  TensorBoard::Table table{.settings = parts.hyper_parameters, .figures = {{"train", "loss"}, {"validation", "loss"}}};
  const std::string& score = parts.trainer.settings().score;
  if (score != "loss") table.figures.push_back({"validation", score});
  return std::make_unique<TensorBoard>(parts.settings.tensor_board, parts.trainer.shared_model(), std::move(table));
}

const std::vector<Ready>& ready_callbacks() {
  using Pointer = std::unique_ptr<Callback>;
  static const std::vector<Ready> ready{
      {"epoch_progress", [](const Parts&) -> Pointer { return std::make_unique<EpochProgress>(); }},
      {"console_log",
       [](const Parts& parts) -> Pointer {
         return std::make_unique<ConsoleLog>(ConsoleLog::Options{.every_steps = parts.trainer.settings().log_every});
       }},
      {"tensor_board", make_tensor_board},
      {"speed", [](const Parts& parts) -> Pointer { return std::make_unique<Speed>(parts.settings.speed); }},
      {"early_stopping", make_early_stopping},
      {"sample_saver",
       [](const Parts& parts) -> Pointer { return std::make_unique<SafetensorsSaver>(parts.settings.sample_saver); }},
      {"record_saver",
       [](const Parts& parts) -> Pointer { return std::make_unique<RecordSaver>(parts.settings.record_saver); }},
      {"profiler",
       [](const Parts& parts) -> Pointer {
         return std::make_unique<Profiler>(parts.settings.profiler, parts.trainer.device());
       }},
      {"pictures", [](const Parts& parts) -> Pointer { return std::make_unique<Pictures>(parts.settings.pictures); }},
      {"projector",
       [](const Parts& parts) -> Pointer { return std::make_unique<ProjectorSaver>(parts.settings.projector); }},
      {"histograms",
       [](const Parts& parts) -> Pointer {
         return std::make_unique<Histograms>(parts.settings.histograms, parts.trainer.shared_model());
       }},
      {"training_log",
       [](const Parts& parts) -> Pointer { return std::make_unique<TrainingLog>(parts.settings.training_log); }},
      {"report", [](const Parts& parts) -> Pointer { return std::make_unique<Report>(parts.settings.report); }},
      {"exporter",
       [](const Parts& parts) -> Pointer {
         return std::make_unique<Exporter>(parts.settings.exporter, parts.trainer, parts.settings.project);
       }},
      {"checkpoint_saver",
       [](const Parts& parts) -> Pointer {
         return std::make_unique<CheckpointSaver>(parts.trainer.settings().checkpoint);
       }},
  };
  return ready;
}

std::vector<std::string> names(const std::vector<std::string>& own) {
  std::vector<std::string> all;
  for (const Ready& ready : ready_callbacks()) all.emplace_back(ready.name);
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

/// A column in the table of runs: numbers sort as numbers there.
HyperParameter hyper_parameter(const std::pair<std::string, std::string>& value) {
  const std::string& text = value.second;
  if (text == "true" || text == "false") return {value.first, text == "true"};
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size()) return {value.first, number};
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return {value.first, is_quoted ? text.substr(1, text.size() - 2) : text};
}

}  // namespace

void CallbackSettings::declare(Knobs& knobs, const std::vector<std::string>& own) {
  knobs.add("use", use, "which callbacks there are, in this order", {.choices = names(own)});
  knobs.add("on_error", on_error, "a callback that fails ends the run, or is switched off",
            {.choices = {"stop", "disable"}});
  knobs.section("tensor_board", tensor_board, "curves for TensorBoard");
  knobs.section("speed", speed, "how fast the run is");
  knobs.section("early_stopping", early_stopping, "ends a run that no longer gets better");
  knobs.section("sample_saver", sample_saver, "samples as safetensors files");
  knobs.section("record_saver", record_saver, "samples in TFRecord files");
  knobs.section("profiler", profiler, "where the time goes, as a trace for Chrome");
  knobs.section("pictures", pictures, "rows of tensors as pictures, for TensorBoard");
  knobs.section("projector", projector, "points for TensorBoard's projector");
  knobs.section("histograms", histograms, "of weights and gradients, for TensorBoard");
  knobs.section("training_log", training_log, "the figures of the run in training_log.md");
  knobs.section("report", report, "report.html in the run's folder");
  knobs.section("exporter", exporter, "models for other engines, and what `export` writes");
}

void add_callbacks(Trainer& trainer, const CallbackSettings& settings, const std::vector<OwnCallback>& own,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<HyperParameter> hyper_parameters;
  for (const auto& value : values) {
    if (!value.first.starts_with("callbacks."))
      hyper_parameters.push_back(hyper_parameter(value));  // they change nothing
  }
  trainer.set_on_callback_error(settings.on_error == "disable" ? CallbackGraph::OnError::kDisable
                                                               : CallbackGraph::OnError::kStop);
  for (const std::string& name : settings.use) {
    const auto ready = std::ranges::find(ready_callbacks(), name, &Ready::name);
    if (ready != ready_callbacks().end()) {
      trainer.add(ready->make({trainer, settings, hyper_parameters}));
      continue;
    }
    const auto found = std::ranges::find(own, name, &OwnCallback::name);
    if (found == own.end())
      throw Error(ErrorKind::kConfig, "there is no callback of this name", name, "see callbacks.use in the help");
    trainer.add(found->make());
  }
}

}  // namespace base
