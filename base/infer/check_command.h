// check_command.h: the command line that compares an engine with another and measures it.
#ifndef BASE_INFER_CHECK_COMMAND_H_
#define BASE_INFER_CHECK_COMMAND_H_

#include <string>
#include <vector>

namespace base {

/// Runs an export in one engine, compares its answers with those of another, prints both and how fast it is; returns
/// the exit code. Answers that differ too much are a backend Error. `program` and `description` are for --help.
int run_check_command(const std::vector<std::string>& arguments, const std::string& program,
                      const std::string& description);

}  // namespace base

#endif  // BASE_INFER_CHECK_COMMAND_H_
