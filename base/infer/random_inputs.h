// random_inputs.h: inputs that fit a signature, for checks and measurements.
#ifndef BASE_INFER_RANDOM_INPUTS_H_
#define BASE_INFER_RANDOM_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/artifact/signature.h"

namespace base {

/// The same numbers for the same seed: floating-point ones from -1 to 1, bytes of any value, and of other integers and
/// booleans 0 or 1, which are indices into any table.
class RandomInputs {
 public:
  /// Dynamic axes are of the size in `sizes`, or else of the size in the example that the model was exported with.
  RandomInputs(const Signature& signature, const std::map<std::string, std::int64_t>& sizes, std::uint64_t seed);

  std::span<const TensorView> views() const { return views_; }

 private:
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<TensorView> views_;
};

}  // namespace base

#endif  // BASE_INFER_RANDOM_INPUTS_H_
