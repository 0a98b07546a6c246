#include "base/torch.h"

#include "base/callbacks/stop_signal.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace base {
namespace {

TEST(StopSignal, AsksForACheckpointAndTheEndBetweenTwoSteps) {
  StopSignal callback;
  TrainControl control;
  callback.on_iteration_end({}, control);
  EXPECT_EQ(control.stop, "");
  raise(SIGTERM);
  EXPECT_TRUE(StopSignal::received());
  callback.on_iteration_end({}, control);
  EXPECT_EQ(control.stop, "SIGTERM received");
  EXPECT_TRUE(control.save);
}

TEST(StopSignalDeathTest, TheSecondOneEndsTheProcessUnlessItComesWithTheFirst) {
  EXPECT_EXIT(
      {
        const StopSignal callback;
        raise(SIGINT);
        raise(SIGINT);  // the same wish by another way
        std::this_thread::sleep_for(std::chrono::milliseconds(2100));
        std::fputs("still there", stderr);
        raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "still there");
}

}  // namespace
}  // namespace base
