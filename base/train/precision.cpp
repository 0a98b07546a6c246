#include "base/train/precision.h"

#include <signal.h>
#include <unistd.h>

#include <ATen/autocast_mode.h>

#include <atomic>
#include <string_view>

#include "base/log/error.h"

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

void explain_illegal_instructions() {
  // Only what a signal handler may call.
  static const int exit_code = info(ErrorKind::kDevice).exit_code;
  const auto explain = [](int) {
    static constexpr std::string_view kText =
        "device error: this machine refuses an instruction that LibTorch uses for bf16\n"
        "  fix: set ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 in the environment, or use precision = \"fp32\"\n";
    static std::atomic_flag is_told;
    while (is_told.test_and_set()) pause();  // several threads come here at once, and the first ends them all
    static_cast<void>(!write(STDERR_FILENO, kText.data(), kText.size()));
    _exit(exit_code);
  };
  static_cast<void>(signal(SIGILL, explain));
}

}  // namespace base
