// tensorrt_plan_key.h: what a plan depends on. One that was built for anything else must not be run.
#ifndef BASE_INFER_TENSORRT_PLAN_KEY_H_
#define BASE_INFER_TENSORRT_PLAN_KEY_H_

#include <string>
#include <vector>

#include "base/infer/onnx_facts.h"
#include "base/infer/tensorrt_options.h"
#include "base/infer/tensorrt_precision.h"
#include "base/infer/tensorrt_profile.h"

namespace base {

struct TensorRtPlanKey {
  std::string tensorrt_version;    // "11.1.0.106": of the library that builds, not of its headers
  std::string compute_capability;  // "8.9": of the GPU
  std::string onnx_sha256;         // with the files of its weights
  Precision precision = Precision::kGraph;
  std::vector<ShapeRange> profile;
  std::size_t workspace_bytes = 0;
  int optimization_level = 3;
  bool version_compatible = false;
  bool embed_lean_runtime = false;
};

/// A line for each, always in the same order: what a plan's file begins with.
std::string describe(const TensorRtPlanKey& key);

/// "a1b2....plan", from the hash of all of it.
std::string file_name(const TensorRtPlanKey& key);

/// "timings-11.1.0.106-8.9.cache": timings depend on the library and the GPU alone, so all models share them.
std::string timing_file_name(const TensorRtPlanKey& key);

}  // namespace base

#endif  // BASE_INFER_TENSORRT_PLAN_KEY_H_
