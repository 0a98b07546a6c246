// part.h: what a part of the data is for.
#ifndef BASE_DATA_PART_H_
#define BASE_DATA_PART_H_

#include <string_view>

namespace base {

enum class Part { kTraining, kValidation, kTest };

/// "training", "validation" or "test", for file names and messages.
constexpr std::string_view part_name(Part part) {
  switch (part) {
    case Part::kTraining:
      return "training";
    case Part::kValidation:
      return "validation";
    case Part::kTest:
      return "test";
  }
  return "";
}

}  // namespace base

#endif  // BASE_DATA_PART_H_
