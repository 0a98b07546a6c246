#include "base/torch.h"

#include "base/export/trace_source.h"

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/profiler/unwind/unwind.h>

#include <algorithm>

#include "base/log/format.h"

namespace base {
namespace {

thread_local CallStacks* recorded_stacks = nullptr;

void record_stack(torch::jit::Node* node) {
  if (recorded_stacks == nullptr) return;
  try {
    (*recorded_stacks)[node] = torch::unwind::unwind();
  } catch (const std::exception&) {
    // Another processor, or code without the tables for it: errors say less then.
  }
}

/// LibTorch's own code: in its libraries, or compiled into the program from its headers.
bool is_foreign(const torch::unwind::Frame& frame) {
  const auto begins = [](const std::string& text, const char* with) { return text.starts_with(with); };
  const auto holds = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  return frame.lineno == 0 || holds(frame.filename, "/torch/include/") || holds(frame.filename, "/aten/") ||
         holds(frame.filename, "/c10/") || holds(frame.filename, "/torch/csrc/") ||
         holds(frame.filename, "/include/c++/") || begins(frame.funcname, "at::") || begins(frame.funcname, "c10::") ||
         begins(frame.funcname, "torch::");
}

}  // namespace

SourceRecorder::SourceRecorder(CallStacks& stacks) {
  recorded_stacks = &stacks;
  torch::jit::tracer::setRecordSourceLocation(record_stack);
}

SourceRecorder::~SourceRecorder() {
  recorded_stacks = nullptr;
}

std::string source_of(const CallStacks& stacks, const torch::jit::Node& node) {
  const auto found = stacks.find(&node);
  if (found == stacks.end()) return "";
  std::vector<void*> calls;
  for (void* call : found->second) {
    const auto library = torch::unwind::libraryFor(call);
    const std::string path = library ? library->first : "";
    if (path.find("libtorch") == std::string::npos && path.find("libc10") == std::string::npos) calls.push_back(call);
  }
  try {
    for (const torch::unwind::Frame& frame : torch::unwind::symbolize(calls, torch::unwind::Mode::fast)) {
      if (is_foreign(frame)) continue;
      // Export's own code is what called the hook: the line was not found.
      if (frame.filename.ends_with("base/export/trace.cpp")) return "";
      return format("{}:{}", frame.filename, frame.lineno);
    }
  } catch (const std::exception&) {
    return "";
  }
  return "";
}

}  // namespace base
