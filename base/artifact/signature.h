// signature.h: what an exported model takes and gives: names, types and shapes.
#ifndef BASE_ARTIFACT_SIGNATURE_H_
#define BASE_ARTIFACT_SIGNATURE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/records/safetensors.h"

namespace base {

/// One axis of a tensor. One with a name, such as "batch", may be of another size in each call; all axes of that name
/// then are of the same.
struct Axis {
  std::int64_t size = 1;  // of a dynamic one: in the example that the model was exported with
  std::string name = {};

  bool is_dynamic() const { return !name.empty(); }
  bool operator==(const Axis&) const = default;
};

struct TensorSpec {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<Axis> axes;  // none for a scalar

  bool operator==(const TensorSpec&) const = default;
};

struct Signature {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;

  bool operator==(const Signature&) const = default;
};

/// "image F32 [batch, 1, 28, 28]", for messages.
std::string describe(const TensorSpec& spec);

inline constexpr std::string_view kBatchAxis = "batch";

/// Whether all tensors begin with the axis kBatchAxis and have it nowhere else: rows of several callers can then be run
/// as one.
bool has_batch_axis(const Signature& signature);

/// The inputs in the order of the signature. One usage Error names all that is missing, unknown, there twice, or of
/// another type or shape.
std::vector<const TensorView*> match_inputs(const Signature& signature, std::span<const TensorView> inputs);

}  // namespace base

#endif  // BASE_ARTIFACT_SIGNATURE_H_
