// launch_command.h: the command line of a launcher: its knobs, then `--` and what is to be started.
#ifndef BASE_DIST_LAUNCH_COMMAND_H_
#define BASE_DIST_LAUNCH_COMMAND_H_

#include <string>
#include <vector>

namespace base {

/// Starts `command`, with what follows `--` behind it, as several ranks; returns the exit code. `program` and
/// `description` are for --help.
int run_launch_command(const std::vector<std::string>& arguments, const std::string& program,
                       const std::string& description, std::vector<std::string> command = {});

}  // namespace base

#endif  // BASE_DIST_LAUNCH_COMMAND_H_
