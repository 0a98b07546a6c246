#include "base/infer/tensorrt_plan_key.h"

#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/sha256.h"

namespace base {

std::string describe(const TensorRtPlanKey& key) {
  return format("tensorrt {}\ncompute capability {}\nonnx {}\nprecision {}\nprofile\n{}\n", key.tensorrt_version,
                key.compute_capability, key.onnx_sha256, name_of(key.precision), describe(key.profile)) +
         format("workspace {}\noptimization {}\nversion compatible {}\nlean runtime inside {}\n", key.workspace_bytes,
                key.optimization_level, key.version_compatible ? "yes" : "no", key.embed_lean_runtime ? "yes" : "no");
}

std::string file_name(const TensorRtPlanKey& key) {
  return sha256(bytes_of(describe(key))).substr(0, 32) + ".plan";
}

std::string timing_file_name(const TensorRtPlanKey& key) {
  return format("timings-{}-{}.cache", key.tensorrt_version, key.compute_capability);
}

}  // namespace base
