// finding.h: what doctor found, as a table and as an exit code. Pure.
#ifndef GENERATOR_FINDING_H_
#define GENERATOR_FINDING_H_

#include <string>
#include <vector>

#include "base/log/console.h"

namespace generator {

struct Finding {
  enum class State { kFound, kMissing, kTooOld, kBroken };

  std::string what;  // "CMake"
  bool is_required = false;
  State state = State::kMissing;
  std::string version = {};  // and what else is worth a word, as in "2.15.0, CPU and CUDA"
  std::string path = {};
  std::string problem = {};  // too old: what is needed; broken: what happened
  std::string fix = {};      // the command that gets it, or where to look
};

/// A line of the table with the word that says how it is.
struct ReportLine {
  std::string before;
  std::string word;
  base::Color color = base::Color::kNone;
  std::string after;
};

/// The table, the required things first, and a last line that sums it up.
std::vector<ReportLine> report(const std::vector<Finding>& findings);

/// 0 if all that is required was found, else that of the "device" kind of error: the machine lacks something.
int exit_code(const std::vector<Finding>& findings);

}  // namespace generator

#endif  // GENERATOR_FINDING_H_
