#include "base/config/problem.h"

#include <algorithm>

#include "base/log/format.h"

namespace base::config {

Error as_error(const std::vector<Problem>& problems) {
  const bool usage = std::ranges::all_of(problems, &Problem::on_command_line);
  const ErrorKind kind = usage ? ErrorKind::kUsage : ErrorKind::kConfig;
  if (problems.size() == 1) return {kind, problems[0].what, "", problems[0].fix};

  std::string list = base::format("{} settings are wrong", problems.size());
  for (std::size_t i = 0; i < std::min(problems.size(), kMostShown); ++i) {
    list += base::format("\n  - {}\n    fix: {}", problems[i].what, problems[i].fix);
  }
  if (problems.size() > kMostShown) list += base::format("\n  and {} more", problems.size() - kMostShown);
  return {kind, list, "", ""};
}

}  // namespace base::config
