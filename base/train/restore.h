// restore.h: saved tensors compared with those they are to replace.
#ifndef BASE_TRAIN_RESTORE_H_
#define BASE_TRAIN_RESTORE_H_

#include <string>
#include <string_view>
#include <vector>

namespace base {

/// Collects what does not match between a checkpoint and the program, to say all of it at once.
class Mismatches {
 public:
  void add(std::string mismatch) { mismatches_.push_back(std::move(mismatch)); }
  /// A checkpoint Error with what was added, if anything was. `owner`: "the optimizer".
  void refuse_any(std::string_view owner) const;

 private:
  std::vector<std::string> mismatches_;
};

}  // namespace base

#endif  // BASE_TRAIN_RESTORE_H_
