// tensorrt_profile.h: the shapes that a plan is built for.
#ifndef BASE_INFER_TENSORRT_PROFILE_H_
#define BASE_INFER_TENSORRT_PROFILE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/artifact/signature.h"
#include "base/infer/tensorrt_options.h"

namespace base {

/// The shapes of one input: the smallest, the one to be fastest at, the largest. An axis that is not dynamic is of the
/// same size in all three.
struct ShapeRange {
  std::string input;
  std::vector<std::int64_t> min = {};
  std::vector<std::int64_t> best = {};
  std::vector<std::int64_t> max = {};

  bool operator==(const ShapeRange&) const = default;
};

/// "batch=1:8:64,length=16:128:512" from a flag: minimum, best and maximum of each dynamic axis; "batch=8" is 8:8:8.
/// What makes no sense is a usage Error.
std::map<std::string, AxisRange> axis_ranges_from_text(std::string_view text);

/// For each input of the signature its shapes. A dynamic axis without a range goes from 1 to the size it had in the
/// example that the model was exported with, which is also the best; one called "batch" goes to 64 at least. One usage
/// Error names every range that is of no dynamic axis, or whose numbers are not in order.
std::vector<ShapeRange> make_profile(const Signature& signature, const std::map<std::string, AxisRange>& axes);

/// "image 1x1x28x28 8x1x28x28 64x1x28x28", one line each.
std::string describe(std::span<const ShapeRange> profile);

/// Throws one usage Error that names every input whose shape is outside of the profile. The inputs have passed
/// match_inputs() and are in the order of the profile.
void check_shapes(std::span<const ShapeRange> profile, std::span<const TensorView* const> inputs);

}  // namespace base

#endif  // BASE_INFER_TENSORRT_PROFILE_H_
