// tensorrt_engine.h: a plan, loaded and ready to run on the GPU it was built for.
#ifndef BASE_INFER_TENSORRT_ENGINE_H_
#define BASE_INFER_TENSORRT_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/artifact/signature.h"
#include "base/infer/cuda_memory.h"
#include "base/infer/tensorrt_log.h"
#include "base/infer/tensorrt_profile.h"

namespace base {

/// Addresses are on the GPU, work goes to a stream, and shapes are known before the work is done, except for outputs
/// whose shape depends on the values of the inputs: grows() says which. Whatever TensorRT refuses is a backend Error.
class TensorRtEngine {
 public:
  /// A plan of another GPU or version, or a damaged one, is a backend Error. A version-compatible plan may hold code,
  /// which is run only if that is allowed. The plan may go afterwards, the log may not.
  TensorRtEngine(std::span<const std::byte> plan, bool allow_code, TensorRtLog& log);
  ~TensorRtEngine();
  TensorRtEngine(const TensorRtEngine&) = delete;
  TensorRtEngine& operator=(const TensorRtEngine&) = delete;

  /// Throws a backend Error that names every tensor which the plan and the signature do not agree on.
  void require_signature(const Signature& signature) const;
  /// The shapes that the plan was built for, in the order of the signature.
  std::vector<ShapeRange> profile(const Signature& signature) const;

  void set_input(const std::string& name, std::span<const std::int64_t> shape, const void* address);
  /// All inputs are set by then; -1 stands for an axis that is known only after the work.
  std::vector<std::int64_t> output_shape(const std::string& name) const;
  void set_output(const std::string& name, void* address);
  /// The engine gets the memory for this output itself, while it works.
  void let_grow(const std::string& name);
  struct GrownOutput {
    const void* address = nullptr;
    std::vector<std::int64_t> shape;
  };
  GrownOutput grown_output(const std::string& name) const;

  void enqueue(const CudaStream& stream);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace base

#endif  // BASE_INFER_TENSORRT_ENGINE_H_
