#include "base/torch.h"

#include "base/dist/heartbeat.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace base {
namespace {

/// Can be held up, and counts how often it is read.
class BusyStore final : public c10d::HashStore {
 public:
  using Store::set;  // of texts
  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    if (is_held_up) throw std::runtime_error("timeout");
    HashStore::set(key, value);
  }
  std::vector<std::vector<std::uint8_t>> multiGet(const std::vector<std::string>& keys) override {
    ++reads;
    return HashStore::multiGet(keys);
  }

  std::atomic<bool> is_held_up = false;
  std::atomic<int> reads = 0;
};

/// Two ranks that have announced themselves.
struct TwoRanks {
  TwoRanks() {
    Heartbeat::announce(first, *store);
    Heartbeat::announce(second, *store);
  }

  World first{.rank = 0, .size = 2};
  World second{.rank = 1, .size = 2};
  c10::intrusive_ptr<BusyStore> store = c10::make_intrusive<BusyStore>();
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
  const std::jthread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // between the first look and the second
    ranks.store->set("alive/1", "1");
  });
  EXPECT_EQ(of_first.missing(), "rank 1 is");
}

TEST(Heartbeat, OutlivesAStoreThatIsHeldUp) {
  const TwoRanks ranks;
  const Heartbeat of_first(ranks.first, ranks.store);
  const Heartbeat of_second(ranks.second, ranks.store);
  ranks.store->is_held_up = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ranks.store->is_held_up = false;
  EXPECT_EQ(ranks.store->reads, 0) << "nobody has asked";
  EXPECT_EQ(of_first.missing(), "");
  EXPECT_GT(ranks.store->reads, 0);
}

}  // namespace
}  // namespace base
