#include "base/torch.h"

#include "base/dist/heartbeat.h"

#include <chrono>
#include <exception>

#include "base/log/format.h"

namespace base {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kPatience{3};  // three beats: one may be late

std::string key(int rank) {
  return format("alive/{}", rank);
}

}  // namespace

Heartbeat::Heartbeat(const World& world, const c10::intrusive_ptr<c10d::Store>& store)
    : world_(world), store_(store->clone()) {
  store_->setTimeout(kPatience);
  thread_ = std::thread([this] { beat(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void Heartbeat::beat() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    try {
      store_->add(key(world_.rank), 1);
    } catch (const std::exception&) {  // who waits for the others will notice, and ask
    }
    stop_.wait_for(lock, kInterval, [this] { return stopped_; });
  }
}

std::vector<std::int64_t> Heartbeat::counts() {
  std::vector<std::int64_t> counts;
  const std::lock_guard lock(mutex_);
  for (int rank = 0; rank < world_.size; ++rank) counts.push_back(store_->add(key(rank), 0));
  return counts;
}

std::string Heartbeat::missing() {
  try {
    const auto before = counts();
    std::this_thread::sleep_for(kPatience);
    const auto after = counts();
    std::string ranks;
    int silent = 0;
    for (int rank = 0; rank < world_.size; ++rank) {
      if (rank == world_.rank || after[static_cast<std::size_t>(rank)] > before[static_cast<std::size_t>(rank)])
        continue;
      ranks += format("{}{}", silent++ == 0 ? "" : ", ", rank);
    }
    if (silent == 0) return {};
    return silent == 1 ? format("rank {} is", ranks) : format("ranks {} are", ranks);
  } catch (const std::exception&) {
    return format("{} at {}:{}, which keeps the store, is", world_.agent_store ? "the agent" : "rank 0",
                  world_.master_address, world_.master_port);
  }
}

}  // namespace base
