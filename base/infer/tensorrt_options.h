// tensorrt_options.h: how TensorRT builds and runs a plan, its form of a model for one kind of GPU.
#ifndef BASE_INFER_TENSORRT_OPTIONS_H_
#define BASE_INFER_TENSORRT_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace base {

/// The sizes that a dynamic axis may have, and the one to be fastest at.
struct AxisRange {
  std::int64_t min = 1;
  std::int64_t best = 1;
  std::int64_t max = 1;

  bool operator==(const AxisRange&) const = default;
};

struct TensorRtOptions {
  std::string precision = "auto";              // auto (the graph's), fp32, tf32, fp16 or int8
  std::map<std::string, AxisRange> axes = {};  // by name: {"batch", {1, 8, 64}}; others: see tensorrt_profile.h
  std::size_t workspace_bytes = 0;             // for the scratch memory of layers; 0: all that the GPU has
  int optimization_level = 3;                  // 0 (built fast) to 5 (runs fast)
  bool version_compatible = false;             // later TensorRT versions and the lean runtime run the plan too
  bool embed_lean_runtime = false;             // of a version-compatible plan: it brings the runtime it needs
  bool cuda_graphs = true;                     // calls in a row with the same shapes are replayed as one
  std::filesystem::path plan = {};             // run this one, build none
  bool allow_plan_code = false;                // run the code inside such a plan: only if you trust it as a program
  std::filesystem::path save_plan = {};        // a copy of the plan as TensorRT's own tools take it
  std::filesystem::path cache_folder = {};     // of plans and timings; empty: $XDG_CACHE_HOME/scaffold/tensorrt
};

}  // namespace base

#endif  // BASE_INFER_TENSORRT_OPTIONS_H_
