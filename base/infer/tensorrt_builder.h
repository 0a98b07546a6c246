// tensorrt_builder.h: from an ONNX model to a plan for this GPU. It takes seconds to minutes: TensorRT tries and times
// ways to compute each layer.
#ifndef BASE_INFER_TENSORRT_BUILDER_H_
#define BASE_INFER_TENSORRT_BUILDER_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "base/infer/plan_cache.h"
#include "base/infer/tensorrt_log.h"
#include "base/infer/tensorrt_plan_key.h"

namespace base {

struct TensorRtPlan {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // of the bytes
};

/// Builds what the key says from the model that it was made of. The timings that it measures go to the cache, for the
/// next build. What TensorRT refuses is a backend Error with its own words. There must be a GPU: see
/// open_cuda_device().
TensorRtPlan build_plan(const std::filesystem::path& onnx, const OnnxFacts& facts, const TensorRtPlanKey& key,
                        const PlanCache& cache, TensorRtLog& log);

}  // namespace base

#endif  // BASE_INFER_TENSORRT_BUILDER_H_
