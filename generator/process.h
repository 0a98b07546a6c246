// process.h: another program, run for what it prints.
#ifndef GENERATOR_PROCESS_H_
#define GENERATOR_PROCESS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace generator {

struct ProcessLimits {
  std::chrono::milliseconds time = std::chrono::seconds(10);
  std::size_t output = std::size_t{1} << 20;  // bytes
};

struct ProcessResult {
  std::string output = {};   // its standard output, as far as it was read
  std::string failure = {};  // why the output cannot be relied on, such as "exit code 3"; empty if all went well
};

/// Runs a program (argv[0] is its path) without a shell, without input, its standard error dropped. One that goes past
/// a limit is killed. Does not throw for anything the program does.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessLimits& limits = {});

}  // namespace generator

#endif  // GENERATOR_PROCESS_H_
