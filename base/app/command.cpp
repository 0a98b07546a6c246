#include "base/torch.h"

#include "base/app/command.h"

#include <array>
#include <iostream>
#include <string_view>

#include "base/app/prediction_file.h"
#include "base/callbacks/stop_signal.h"
#include "base/config/settings.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/suggest.h"
#include "base/tensor/device.h"
#include "base/train/environment.h"

namespace base {
namespace {

struct CommandInfo {
  Command command;
  std::string_view name;
  std::string_view help;
};

constexpr std::array kCommands{
    CommandInfo{Command::kTrain, "train", "Trains; with --run FOLDER it goes on where that run stopped."},
    CommandInfo{Command::kValidate, "validate", "Measures a run's checkpoint on the validation data."},
    CommandInfo{Command::kEvaluate, "evaluate", "Measures a run's checkpoint on the test data."},
    CommandInfo{Command::kPredict, "predict", "Writes the answers for the test data to a CSV file."},
    CommandInfo{Command::kDescribe, "describe", "Shows the network: its layers, inputs and outputs."},
    CommandInfo{Command::kSettings, "settings", "Prints every knob with its value, as a file for --config."},
};

void print_help(const std::string& name) {
  std::cout << "usage: " << name << " COMMAND [--KNOB VALUE]...\n\n";
  for (const CommandInfo& info : kCommands) std::cout << format("  {:<10} {}\n", info.name, info.help);
  std::cout << "\n`" << name << " COMMAND --help` lists the knobs.\n";
}

/// The weights are drawn when the model is made.
std::shared_ptr<Model> seeded_model(const AppSteps& steps) {
  seed_everything(steps.train.seed);
  return steps.make_model();
}

int train(const AppSteps& steps) {
  const auto trainer = steps.make_trainer({.model = seeded_model(steps),
                                           .training = steps.make_data(Part::kTraining),
                                           .validation = steps.make_data(Part::kValidation)});
  trainer->add(std::make_unique<StopSignal>());
  const RunFolder run = steps.settings.run.empty() ? RunFolder::create(steps.settings.runs, steps.name)
                                                   : RunFolder::make(steps.settings.run);
  const auto& log_file = steps.settings.log;
  log::start({.file = log_file.empty() ? run.path() / "runlogs/rank-0.log" : log_file});
  if (!trainer->set_run(run).restore(steps.settings.weights)) {
    config::write_file(run.config(), steps.settings_toml());
    config::write_file(run.environment(), environment_json(trainer->device()));
  }
  trainer->run();

  if (!trainer->state().validation.empty()) log::info("validation: {}", describe(trainer->state().validation));
  log::info("the run is kept in {}", run.path());
  return StopSignal::received() ? StopSignal::kExitCode : 0;
}

/// A trainer with the weights of the run that the settings name.
std::unique_ptr<Trainer> restored_trainer(const AppSteps& steps, std::shared_ptr<const DataLoader> data) {
  if (steps.settings.run.empty()) {
    throw Error(ErrorKind::kUsage, "whose weights? no run is given", "",
                format("give --run FOLDER, one of those in {}/{}", steps.settings.runs, steps.name));
  }
  auto trainer = steps.make_trainer({.model = seeded_model(steps), .training = data, .validation = data});
  const RunFolder run = RunFolder::open(steps.settings.run);
  if (!trainer->set_run(run).restore(steps.settings.weights)) RunFolder::refuse_without_checkpoint(run);
  return trainer;
}

int measure(const AppSteps& steps, Part part) {
  const auto data = steps.make_data(part);
  const auto trainer = restored_trainer(steps, data);
  std::cout << describe(trainer->evaluate(*data)) << std::endl;
  return 0;
}

int predict(const AppSteps& steps) {
  const auto data = steps.make_data(Part::kTest);
  const auto trainer = restored_trainer(steps, data);
  const std::int64_t examples = write_predictions(trainer->predict(*data), steps.settings.output);
  log::info("{} answers are in {}", examples, steps.settings.output);
  return 0;
}

int describe_model(const AppSteps& steps) {
  const auto model = seeded_model(steps);
  model->set_mode(Model::Mode::kInfer);
  const torch::NoGradGuard no_grad;
  const Tensors inputs = model->example_inputs();
  std::int64_t parameters = 0;
  for (const auto& parameter : model->parameters()) parameters += parameter.numel();
  for (const auto& item : model->named_parameters())
    std::cout << format("  {:<40} {}\n", item.key(), describe(item.value()));
  std::cout << format("{} parameters\ninputs   {}\noutputs  {}", parameters, describe(inputs),
                      describe(model->run(inputs)))
            << std::endl;
  return 0;
}

}  // namespace

std::optional<CommandLine> parse_command(int argc, const char* const* argv, const std::string& name) {
  const std::string word = argc > 1 ? argv[1] : "--help";
  if (word == "--help" || word == "-h") {
    print_help(name);
    return {};
  }
  for (const CommandInfo& info : kCommands) {
    if (word != info.name) continue;
    return CommandLine{.command = info.command,
                       .flags = {argv + 2, argv + argc},
                       .program = format("{} {}", name, info.name),
                       .description = std::string(info.help)};
  }
  std::vector<std::string_view> known;
  for (const CommandInfo& info : kCommands) known.push_back(info.name);
  throw Error(ErrorKind::kUsage, "unknown command", word,
              format("did you mean `{}`? `{} --help` lists the commands", nearest_word(word, known), name));
}

int run_command(Command command, const AppSteps& steps) {
  switch (command) {
    case Command::kTrain:
      return train(steps);
    case Command::kValidate:
      return measure(steps, Part::kValidation);
    case Command::kEvaluate:
      return measure(steps, Part::kTest);
    case Command::kPredict:
      return predict(steps);
    case Command::kDescribe:
      return describe_model(steps);
    case Command::kSettings:
      std::cout << steps.settings_toml() << std::flush;
      return 0;
  }
  throw Error(ErrorKind::kInternal, "a command that nobody runs", "", "");
}

}  // namespace base
