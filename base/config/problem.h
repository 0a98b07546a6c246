// problem.h: what is wrong with the settings, collected, so that one run shows everything. Internal to base/config.
#ifndef BASE_CONFIG_PROBLEM_H_
#define BASE_CONFIG_PROBLEM_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/log/error.h"

namespace base::config {

struct Problem {
  std::string what;  // with the value and where it stands
  std::string fix;
  bool on_command_line = false;
};

/// How many problems a message lists: a data file taken for a settings file has thousands.
inline constexpr std::size_t kMostShown = 20;

/// One Error for all of them (there is at least one): the plain form for a single problem, a list for several. It is a
/// usage error if every problem is on the command line, and a config error otherwise.
Error as_error(const std::vector<Problem>& problems);

}  // namespace base::config

#endif  // BASE_CONFIG_PROBLEM_H_
