// trace_source.h: which line of C++ an operator of a trace was called from.
#ifndef BASE_EXPORT_TRACE_SOURCE_H_
#define BASE_EXPORT_TRACE_SOURCE_H_

#include <string>
#include <unordered_map>
#include <vector>

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace base {

/// Addresses in the program, the innermost call first.
using CallStacks = std::unordered_map<const torch::jit::Node*, std::vector<void*>>;

/// While it lives, notes who called each operator that LibTorch records on this thread.
class SourceRecorder {
 public:
  explicit SourceRecorder(CallStacks& stacks);
  ~SourceRecorder();
  SourceRecorder(const SourceRecorder&) = delete;
  SourceRecorder& operator=(const SourceRecorder&) = delete;
};

/// "src/model.h:42", the innermost line that is not LibTorch's. Empty in a program without debug information (-g).
/// Slow: it reads that information.
std::string source_of(const CallStacks& stacks, const torch::jit::Node& node);

}  // namespace base

#endif  // BASE_EXPORT_TRACE_SOURCE_H_
