#include "base/torch.h"

#include "base/tensor/device.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>

namespace base::testing {
namespace {

/// How many of the threads that compute take a product that is too small for a normal number for more than 0.
int threads_with_denormals() {
  std::atomic<int> count = 0;
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    volatile float tiny = 1e-30F;
    volatile float product = tiny * 1e-10F;
    if (product != 0) ++count;
  });
  return count;
}

TEST(FlushDenormals, ReachesThreadsThatWereStartedBefore) {
  set_compute_threads(4);
  static_cast<void>(threads_with_denormals());  // starts them, whatever they do
  flush_denormals();
  EXPECT_EQ(threads_with_denormals(), 0);
}

}  // namespace
}  // namespace base::testing
