// precision.h: in which number format the forward pass computes.
#ifndef BASE_TRAIN_PRECISION_H_
#define BASE_TRAIN_PRECISION_H_

#include <string>

#include "base/torch.h"

namespace base {

/// While it lives, LibTorch computes matrix products and convolutions of this thread in the format given, and keeps
/// what needs more in fp32. "fp32" changes nothing.
class PrecisionScope {
 public:
  PrecisionScope(const std::string& precision, torch::Device device);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  bool active_;
  bool was_enabled_ = false;
  torch::DeviceType device_;
  torch::ScalarType before_ = torch::kFloat;
};

/// From now on a process that the machine stops at an illegal instruction ends with a device error that says how to do
/// without, instead of a signal's name. On some virtual machines that happens to LibTorch in bf16, in its use of AMX.
void explain_illegal_instructions();

}  // namespace base

#endif  // BASE_TRAIN_PRECISION_H_
