// infer_command.h: the command line that answers questions from files and pipes with an exported model.
#ifndef BASE_INFER_INFER_COMMAND_H_
#define BASE_INFER_INFER_COMMAND_H_

#include <string>
#include <vector>

namespace base {

/// Answers what `--input` holds with the model of `--export`, of several the best; returns the exit code. `program`
/// and `description` are for --help.
int run_infer_command(const std::vector<std::string>& arguments, const std::string& program,
                      const std::string& description);

}  // namespace base

#endif  // BASE_INFER_INFER_COMMAND_H_
