#include "base/train/precision.h"

#include <ATen/autocast_mode.h>

namespace base {

PrecisionScope::PrecisionScope(const std::string& precision, torch::Device device)
    : active_(precision != "fp32"), device_(device.type()) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  before_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, precision == "bf16" ? torch::kBFloat16 : torch::kHalf);
  at::autocast::increment_nesting();
}

PrecisionScope::~PrecisionScope() {
  if (!active_) return;
  // The weights' copies in the narrow format, which the next step would make stale.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, before_);
}

}  // namespace base
