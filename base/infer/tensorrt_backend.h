// tensorrt_backend.h: exported models in TensorRT.
#ifndef BASE_INFER_TENSORRT_BACKEND_H_
#define BASE_INFER_TENSORRT_BACKEND_H_

#include <filesystem>
#include <memory>

#include "base/infer/backend.h"
#include "base/infer/engine.h"
#include "base/infer/tensorrt_options.h"

namespace base {

/// Runs `onnx` on the GPU of that number, from a plan that was built before or, if there is none for this TensorRT,
/// GPU, model and options, from one that it builds now. A plan in the cache that cannot be used is built anew, a plan
/// that was asked for by name is a backend Error. Without a GPU: a device Error of one line.
std::unique_ptr<Backend> load_tensorrt_backend(const std::filesystem::path& onnx, const Signature& signature,
                                               int device, const TensorRtOptions& options);

/// The one of the target "tensorrt".
Engine tensorrt_engine();

}  // namespace base

#endif  // BASE_INFER_TENSORRT_BACKEND_H_
