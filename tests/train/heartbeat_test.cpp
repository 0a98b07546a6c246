#include "base/torch.h"

#include "base/dist/heartbeat.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace base {
namespace {

World world_of_two() {
  World world;
  world.size = 2;
  return world;
}

TEST(Heartbeat, WhoGoesOnIsNotMissing) {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  World other = world_of_two();
  other.rank = 1;
  Heartbeat::announce(world_of_two(), *store);
  Heartbeat::announce(other, *store);
  const Heartbeat heartbeat(world_of_two(), store);
  const Heartbeat of_the_other(other, store);
  EXPECT_EQ(heartbeat.missing(), "");
}

// The last beat of a rank that ends is often found only after its end was noticed.
TEST(Heartbeat, LastWordsAreNoSignOfLife) {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  World other = world_of_two();
  other.rank = 1;
  Heartbeat::announce(world_of_two(), *store);
  Heartbeat::announce(other, *store);
  const Heartbeat heartbeat(world_of_two(), store);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // between two beats
  store->set("alive/1", "1");
  EXPECT_EQ(heartbeat.missing(), "rank 1 is");
}

}  // namespace
}  // namespace base
