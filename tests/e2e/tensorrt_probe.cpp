// tensorrt_probe ONNX PLAN: linked with the real lean runtime. Says what it is, that it builds no plans, and then runs
// PLAN: without a GPU that ends before anything of TensorRT is made.
#include <NvInferRuntime.h>

#include <cstdio>

#include "base/infer/cuda_device.h"
#include "base/infer/tensorrt_backend.h"
#include "base/infer/tensorrt_library.h"
#include "base/infer/tensorrt_log.h"
#include "base/log/error.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    if (argc != 3) throw base::Error(base::ErrorKind::kUsage, "give a model and a plan", "", "");
    const base::TensorRtLibrary& library = base::TensorRtLibrary::get();
    std::printf("linked %d, loaded %s, lean %d\n", getInferLibVersion(), library.version().c_str(), library.is_lean());
    base::TensorRtLog log;
    try {
      library.create_builder(log);
    } catch (const base::Error& error) {
      std::printf("%s\n", error.problem().c_str());
    }
    std::printf("why not: %s\n", base::why_no_cuda_device(0).c_str());
    std::fflush(stdout);
    const base::Signature signature{.inputs = {{"x", base::DType::kF32, {{1, "batch"}}}}, .outputs = {}};
    base::load_tensorrt_backend(argv[1], signature, 0, {.plan = argv[2]});
    return 0;
  });
}
