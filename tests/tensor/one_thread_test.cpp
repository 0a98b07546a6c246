#include "base/torch.h"

#include "base/tensor/one_thread.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <ctime>
#include <thread>

#include "base/tensor/device.h"

namespace base::testing {
namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What other threads of the process computed for matrix products and sums of this one, as part of the whole.
double part_of_others() {
  const torch::Tensor matrix = torch::ones({512, 512});
  const double process = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double thread = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 40; ++i) static_cast<void>(torch::mm(matrix, matrix).add(matrix));
  const double all = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process;
  return 1 - (seconds_of(CLOCK_THREAD_CPUTIME_ID) - thread) / all;
}

TEST(OneThread, KeepsProductsInTheThreadThatAsks) {
  set_compute_threads(4);
  EXPECT_GT(part_of_others(), 0.2);
  {
    const OneThread one_thread;
    EXPECT_EQ(at::get_num_threads(), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // those that worked before wait a while for more
    EXPECT_LT(part_of_others(), 0.1);
  }
  EXPECT_EQ(at::get_num_threads(), 4);
  EXPECT_GT(part_of_others(), 0.2);
}

}  // namespace
}  // namespace base::testing
