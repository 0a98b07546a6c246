#include "base/torch.h"

#include "base/app/app_settings.h"

namespace base {
namespace {

/// A choice between classes is a knob only where there is one.
void add_choice(Knobs& knobs, const char* name, std::string& value, const char* help,
                const std::vector<std::string>& choices) {
  if (choices.size() > 1) knobs.add(name, value, help, {.choices = choices});
}

}  // namespace

AppSettings::AppSettings() = default;
AppSettings::AppSettings(const AppSettings& other) = default;
AppSettings& AppSettings::operator=(const AppSettings& other) = default;
AppSettings::~AppSettings() = default;

void AppSettings::declare(Knobs& knobs, const Classes& classes) {
  knobs.add("runs", runs, "folder in which every new run gets a folder of its own");
  knobs.add("run", run, "the folder of one run: `train` goes on where it stopped, the other commands take its weights");
  knobs.add("weights", weights, "which of that run: latest, best, step-400 or the path of a checkpoint");
  knobs.add("log", log, "file for the log; empty: runlogs/rank-0.log in the folder of the run");
  knobs.add("output", output, "file that `predict` writes");
  add_choice(knobs, "model", model, "which of the models", classes.models);
  add_choice(knobs, "data_loader", data_loader, "which of the data loaders", classes.data_loaders);
  add_choice(knobs, "trainer", trainer, "which of the trainers", classes.trainers);
  knobs.section("callbacks", callbacks, "what is done beside the training", classes.callbacks);
}

}  // namespace base
