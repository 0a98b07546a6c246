#include "base/torch.h"

#include "base/callbacks/stop_signal.h"

#include <gtest/gtest.h>
#include <signal.h>

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

TEST(StopSignalDeathTest, TheSecondOneEndsTheProcessAtOnce) {
  EXPECT_EXIT(
      {
        const StopSignal callback;
        raise(SIGINT);
        raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace base
