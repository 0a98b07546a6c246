// process.h: another program, run for what it prints.
#ifndef GENERATOR_PROCESS_H_
#define GENERATOR_PROCESS_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace generator {

struct ProcessLimits {
  std::chrono::milliseconds time = std::chrono::seconds(10);
  std::size_t output = std::size_t{1} << 20;  // bytes
};

/// What a program finds when it starts, if not the ordinary.
struct ProcessSetting {
  std::string input = {};                                    // on its standard input
  std::optional<std::vector<std::string>> environment = {};  // NAME=value; nothing: this process's own
};

struct ProcessResult {
  std::string output = {};     // its standard output, as far as it was read
  std::string failure = {};    // why the output cannot be relied on, such as "exit code 3"; empty if all went well
  int exit_code = -1;          // -1: it did not end by itself
  std::string complaint = {};  // the start of its standard error
};

/// Runs a program (argv[0] is its path) without a shell. One that goes past a limit is killed. Does not throw for
/// anything the program does.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessLimits& limits = {},
                          const ProcessSetting& setting = {});

}  // namespace generator

#endif  // GENERATOR_PROCESS_H_
