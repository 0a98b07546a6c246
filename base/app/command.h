// command.h: what the program of a project can be told to do: the first word of its command line.
#ifndef BASE_APP_COMMAND_H_
#define BASE_APP_COMMAND_H_

#include <optional>
#include <string>
#include <vector>

namespace base {

enum class Command { kTrain, kLaunch, kValidate, kEvaluate, kPredict, kExport, kInfer, kCheck, kDescribe, kSettings };

struct CommandLine {
  Command command;
  std::vector<std::string> flags;
  std::string program;      // "demo train", for the help
  std::string description;  // of the command
};

/// Nothing if help was asked for, which is then printed. An unknown command is a usage Error.
std::optional<CommandLine> parse_command(int argc, const char* const* argv, const std::string& name);

}  // namespace base

#endif  // BASE_APP_COMMAND_H_
