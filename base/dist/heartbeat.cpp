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
  Thread(const World& world, const c10::intrusive_ptr<c10d::Store>& store) : world_(world), store_(store->clone()) {
    store_->setTimeout(kPatience);
    for (int rank = 0; rank < world_.size; ++rank) keys_.push_back(key(rank));
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (int beat = 1; !is_stopped_; ++beat) {
      const bool looks = is_asked_;
      lock.unlock();
      Numbers numbers;
      try {
        store_->set(key(world_.rank), std::to_string(beat));
        if (looks) numbers = store_->multiGet(keys_);
      } catch (const std::exception&) {  // a store that was held up comes back; of one that is gone there is no news
      }
      lock.lock();
      if (!numbers.empty()) note(std::move(numbers));
      wake_.wait_for(lock, kInterval, [&] { return is_stopped_ || is_asked_ != looks; });
    }
    has_ended_ = true;
    wake_.notify_all();
  }

  std::string missing() {
    std::unique_lock lock(mutex_);
    looks_ = 0;
    is_asked_ = true;
    wake_.notify_all();
    wake_.wait_for(lock, kPatience, [this] { return is_stopped_; });
    is_asked_ = false;
    if (looks_ <= kEarlyLooks) {
      return format("{} at {}:{}, which keeps the store, is", world_.agent_store ? "the agent" : "rank 0",
                    world_.master_address, world_.master_port);
    }
    std::string ranks;
    int silent = 0;
    for (std::size_t rank = 0; rank < keys_.size(); ++rank)
      if (last_[rank] == early_[rank]) ranks += format("{}{}", silent++ == 0 ? "" : ", ", rank);
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
  using Numbers = std::vector<std::vector<std::uint8_t>>;  // by rank
  static constexpr int kEarlyLooks = 2;  // may still find what a rank said just before it ended; those after do not

  void note(Numbers numbers) {
    last_ = std::move(numbers);
    if (++looks_ <= kEarlyLooks) early_ = last_;
  }

  const World world_;
  const c10::intrusive_ptr<c10d::Store> store_;
  std::vector<std::string> keys_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  Numbers early_;
  Numbers last_;
  int looks_ = 0;          // since somebody asked who is missing
  bool is_asked_ = false;  // only then are the numbers of the others read: all ranks read all would be many
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
