#include "base/torch.h"

#include "base/dist/heartbeat.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace base {
namespace {

/// Two ranks that have announced themselves.
struct TwoRanks {
  TwoRanks() {
    Heartbeat::announce(first, *store);
    Heartbeat::announce(second, *store);
  }

  World first{.rank = 0, .size = 2};
  World second{.rank = 1, .size = 2};
  c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
};

TEST(Heartbeat, WhoGoesOnIsNotMissing) {
  const TwoRanks ranks;
  const Heartbeat of_first(ranks.first, ranks.store);
  const Heartbeat of_second(ranks.second, ranks.store);
  EXPECT_EQ(of_first.missing(), "");
}

// The last beat of a rank that ends is often found only after its end was noticed.
TEST(Heartbeat, LastWordsAreNoSignOfLife) {
  const TwoRanks ranks;
  const Heartbeat of_first(ranks.first, ranks.store);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // between two beats
  ranks.store->set("alive/1", "1");
  EXPECT_EQ(of_first.missing(), "rank 1 is");
}

}  // namespace
}  // namespace base
