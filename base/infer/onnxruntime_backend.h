// onnxruntime_backend.h: exported models in ONNX Runtime, on the CPU or, where it was built for that, on a GPU.
#ifndef BASE_INFER_ONNXRUNTIME_BACKEND_H_
#define BASE_INFER_ONNXRUNTIME_BACKEND_H_

#include <vector>

#include "base/infer/engine.h"

namespace base {

/// Those of the targets "cpu" and "cuda".
std::vector<Engine> onnxruntime_engines();

}  // namespace base

#endif  // BASE_INFER_ONNXRUNTIME_BACKEND_H_
