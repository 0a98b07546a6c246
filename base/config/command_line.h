// command_line.h: takes a command line apart. Internal to base/config.
#ifndef BASE_CONFIG_COMMAND_LINE_H_
#define BASE_CONFIG_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/config/literal.h"
#include "base/config/problem.h"

namespace base::config {

class KnobTable;

struct CommandLine {
  bool help = false;
  std::optional<std::string> file;         // of the last --config
  std::vector<Given> given;                // in the order of the arguments; their keys need not be declared ones
  std::vector<std::string> without_value;  // declared keys whose flag came without its value, told in problems
  std::vector<Problem> problems;
};

/// A flag's value is behind its `=` or the next argument, which must not start with "--": so `--data --width 3` is a
/// forgotten value and not a folder called --width, while `--shift -3` works. A `-` in a flag's name stands for `_`.
CommandLine read_command_line(const std::vector<std::string>& arguments, const KnobTable& knobs);

}  // namespace base::config

#endif  // BASE_CONFIG_COMMAND_LINE_H_
