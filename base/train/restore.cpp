#include "base/train/restore.h"

#include <algorithm>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

void Mismatches::refuse_any(std::string_view owner) const {
  if (mismatches_.empty()) return;
  constexpr std::size_t kShown = 8;  // the rest of a hundred layers adds nothing
  std::string list;
  for (std::size_t i = 0; i < std::min(mismatches_.size(), kShown); ++i) {
    list += (i > 0 ? "; " : "") + mismatches_[i];
  }
  if (mismatches_.size() > kShown) list += format("; and {} more", mismatches_.size() - kShown);
  throw Error(ErrorKind::kCheckpoint, format("what the checkpoint holds of {} does not fit the model", owner), list,
              "restore with the model and the settings that the checkpoint was made with, or start anew");
}

}  // namespace base
