// command.h: what the program of a project can be told to do. app.h puts it together with the project's classes.
#ifndef BASE_APP_COMMAND_H_
#define BASE_APP_COMMAND_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/app/app_settings.h"
#include "base/data/part.h"
#include "base/train/trainer.h"

namespace base {

enum class Command { kTrain, kValidate, kEvaluate, kPredict, kDescribe, kSettings };

struct CommandLine {
  Command command;
  std::vector<std::string> flags;
  std::string program;      // "demo train", for the help
  std::string description;  // of the command
};

/// Nothing if help was asked for, which is then printed. An unknown command is a usage Error.
std::optional<CommandLine> parse_command(int argc, const char* const* argv, const std::string& name);

/// What a Trainer is made of. Without validation data there is none.
struct AppParts {
  std::shared_ptr<Model> model;
  std::shared_ptr<const DataLoader> training;
  std::shared_ptr<const DataLoader> validation;
};

/// The settings, and how each thing is made when a command needs it.
struct AppSteps {
  std::string name;
  const AppSettings& settings;
  const TrainSettings& train;
  std::function<std::shared_ptr<Model>()> make_model;
  std::function<std::shared_ptr<const DataLoader>(Part)> make_data;
  std::function<std::unique_ptr<Trainer>(const AppParts&)> make_trainer;
  std::function<std::string()> settings_toml;
};

/// Returns the exit code: 0, or 75 for a training that a signal stopped.
int run_command(Command command, const AppSteps& steps);

}  // namespace base

#endif  // BASE_APP_COMMAND_H_
