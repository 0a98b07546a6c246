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

/// From now on a process that the processor stops at an instruction ends with a device error instead of a signal's
/// name. For bf16 on the CPU: a virtual machine may announce the units for it (AMX) and not have them, which LibTorch
/// believes.
void explain_illegal_instructions();

}  // namespace base

#endif  // BASE_TRAIN_PRECISION_H_
