#include "base/app/command.h"

#include <array>
#include <iostream>
#include <string_view>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/suggest.h"

namespace base {
namespace {

struct CommandInfo {
  Command command;
  std::string_view name;
  std::string_view help;
};

constexpr std::array kCommands{
    CommandInfo{Command::kTrain, "train", "Trains; with --run FOLDER it goes on where that run stopped."},
    CommandInfo{Command::kLaunch, "launch", "Trains with several processes: launch --ranks 4 -- [--KNOB VALUE]..."},
    CommandInfo{Command::kValidate, "validate", "Measures a run's checkpoint on the validation data."},
    CommandInfo{Command::kEvaluate, "evaluate", "Measures a run's checkpoint on the test data."},
    CommandInfo{Command::kPredict, "predict", "Writes the answers for the test data to a CSV file."},
    CommandInfo{Command::kExport, "export", "Exports a run's model: ONNX, TorchScript and its weights in one folder."},
    CommandInfo{Command::kInfer, "infer", "Answers questions from a file or a pipe with an exported model."},
    CommandInfo{Command::kCheck, "check", "Compares an engine's answers with another's, and measures it."},
    CommandInfo{Command::kDescribe, "describe", "Shows the network: its layers, inputs and outputs."},
    CommandInfo{Command::kSettings, "settings", "Prints every knob with its value, as a file for --config."},
};

void print_help(const std::string& name) {
  std::cout << "usage: " << name << " COMMAND [--KNOB VALUE]...\n\n";
  for (const CommandInfo& info : kCommands) std::cout << format("  {:<10} {}\n", info.name, info.help);
  std::cout << "\n`" << name << " COMMAND --help` lists the knobs.\n";
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

}  // namespace base
