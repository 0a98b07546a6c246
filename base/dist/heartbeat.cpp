#include "base/torch.h"

#include "base/dist/heartbeat.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/log/format.h"

namespace base {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kPatience{5};  // five beats: some may be late

std::string key(int rank) {
  return format("alive/{}", rank);
}

}  // namespace

class Heartbeat::Thread {
 public:
  Thread(const World& world, const c10::intrusive_ptr<c10d::Store>& store)
      : world_(world),
        store_(store->clone()),
        numbers_(static_cast<std::size_t>(world.size)),
        changes_(numbers_.size()) {
    store_->setTimeout(kPatience);
  }

  void run() {
    std::vector<std::string> keys;
    for (int rank = 0; rank < world_.size; ++rank) keys.push_back(key(rank));
    std::unique_lock lock(mutex_);
    while (!is_stopped_) {
      const int beat = ++beats_;
      lock.unlock();
      std::vector<std::vector<std::uint8_t>> numbers;
      try {
        store_->set(key(world_.rank), std::to_string(beat));
        numbers = store_->multiGet(keys);
      } catch (const std::exception&) {  // the store is gone; who waits for the others will notice, and ask
        break;
      }
      lock.lock();
      seen_ = beat;
      for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
        if (numbers[rank] == numbers_[rank]) continue;
        numbers_[rank] = numbers[rank];
        changes_[rank] = beat;
      }
      wake_.wait_for(lock, kInterval, [this] { return is_stopped_; });
    }
    if (!lock.owns_lock()) lock.lock();
    has_ended_ = true;
    wake_.notify_all();
  }

  std::string missing() {
    std::unique_lock lock(mutex_);
    const int next = beats_ + 1;  // may still find what a rank said just before it ended; those after it do not
    lock.unlock();
    std::this_thread::sleep_for(kPatience);
    lock.lock();
    if (seen_ <= next) {
      return format("{} at {}:{}, which keeps the store, is", world_.agent_store ? "the agent" : "rank 0",
                    world_.master_address, world_.master_port);
    }
    std::string ranks;
    int silent = 0;
    for (int rank = 0; rank < world_.size; ++rank)
      if (changes_[static_cast<std::size_t>(rank)] <= next) ranks += format("{}{}", silent++ == 0 ? "" : ", ", rank);
    if (silent == 0) return {};
    return silent == 1 ? format("rank {} is", ranks) : format("ranks {} are", ranks);
  }

  /// Returns soon, even if the thread is held up.
  void stop() {
    std::unique_lock lock(mutex_);
    is_stopped_ = true;
    wake_.notify_all();
    wake_.wait_for(lock, kInterval, [this] { return has_ended_; });
  }

 private:
  const World world_;
  const c10::intrusive_ptr<c10d::Store> store_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::vector<std::vector<std::uint8_t>> numbers_;  // by rank, as last seen
  std::vector<int> changes_;                        // and the beat at which that was new
  int beats_ = 0;                                   // begun
  int seen_ = 0;                                    // the last one that found the numbers of all
  bool is_stopped_ = false;
  bool has_ended_ = false;
};

void Heartbeat::announce(const World& world, c10d::Store& store) {
  store.set(key(world.rank), "0");
}

Heartbeat::Heartbeat(const World& world, const c10::intrusive_ptr<c10d::Store>& store)
    : thread_(std::make_shared<Thread>(world, store)) {
  std::thread([thread = thread_] { thread->run(); }).detach();
}

Heartbeat::~Heartbeat() {
  thread_->stop();
}

std::string Heartbeat::missing() const {
  return thread_->missing();
}

}  // namespace base
