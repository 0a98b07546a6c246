#include "base/infer/tensorrt_settings.h"

#include "base/infer/tensorrt_profile.h"

namespace base {

void TensorRtSettings::declare(Knobs& knobs) {
  knobs.add("precision", values.precision, "auto is the graph's; TensorRT 11 takes no other",
            {.choices = {"auto", "fp32", "tf32", "fp16", "int8"}});
  knobs.add("axes", axes, "smallest, best and largest size of dynamic axes: batch=1:8:64");
  knobs.add("workspace_mb", workspace_mb, "megabytes for the scratch memory of layers; 0: all that the GPU has",
            {.min = 0});
  knobs.add("optimization_level", values.optimization_level, "0 builds fast, 5 runs fast", {.min = 0, .max = 5});
  knobs.add("version_compatible", values.version_compatible,
            "later versions of TensorRT and its lean runtime run the plan too");
  knobs.add("embed_lean_runtime", values.embed_lean_runtime,
            "a version-compatible plan brings the runtime that it needs");
  knobs.add("cuda_graphs", values.cuda_graphs, "calls in a row with the same shapes are replayed as one");
  knobs.add("plan", values.plan, "run this plan, and build none");
  knobs.add("allow_plan_code", values.allow_plan_code,
            "run the code inside of that plan: only if you trust it as you trust a program");
  knobs.add("save_plan", values.save_plan, "a copy of the plan, as TensorRT's own tools take it");
  knobs.add("cache_folder", values.cache_folder, "of plans and timings; empty: scaffold/tensorrt in the user's cache");
}

TensorRtOptions TensorRtSettings::options() const {
  TensorRtOptions options = values;
  std::string text;
  for (const std::string& axis : axes) text += (text.empty() ? "" : ",") + axis;
  options.axes = axis_ranges_from_text(text);
  options.workspace_bytes = static_cast<std::size_t>(workspace_mb) << 20U;
  return options;
}

}  // namespace base
