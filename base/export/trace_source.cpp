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

bool is_of_libtorch(const std::string& function) {
  return function.starts_with("at::") || function.starts_with("c10::") || function.starts_with("torch::") ||
         function.starts_with("std::");
}

/// A function of LibTorch's headers that was compiled into its caller has the caller's name but its own line.
bool is_foreign_header(const std::string& file) {
  return file.find("/torch/include/") != std::string::npos || file.find("/include/c++/") != std::string::npos;
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
  std::vector<std::string> libraries;
  for (void* call : found->second) {
    const auto library = torch::unwind::libraryFor(call);
    const std::string path = library ? library->first : "";
    if (path.find("libtorch") != std::string::npos || path.find("libc10") != std::string::npos) continue;
    calls.push_back(call);
    libraries.push_back(path);
  }
  try {
    const auto frames = torch::unwind::symbolize(calls, torch::unwind::Mode::fast);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto& [file, function, line] = frames[i];
      const bool unknown = file == libraries[i] || file == "??" || line == 0;  // no debug information there
      const bool is_recorder = file.ends_with("base/export/trace_source.cpp");
      if (unknown || is_recorder || is_of_libtorch(function)) continue;
      // Export's own code is what called the hook: the line was not found.
      if (file.ends_with("base/export/trace.cpp")) return "";
      if (is_foreign_header(file)) return function.substr(0, function.find('('));
      return format("{}:{}", file, line);
    }
  } catch (const std::exception&) {
    return "";
  }
  return "";
}

}  // namespace base
