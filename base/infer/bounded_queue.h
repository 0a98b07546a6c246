// bounded_queue.h: what one thread hands to the next, so much of it at most.
#ifndef BASE_INFER_BOUNDED_QUEUE_H_
#define BASE_INFER_BOUNDED_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace base {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. False if nobody takes from it any more.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.size() < capacity_ || is_abandoned_; });
    if (is_abandoned_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  /// Waits for the next one; nothing after the last.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || is_closed_ || is_abandoned_; });
    if (is_abandoned_ || items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  /// Nothing more comes: what is in it is still taken.
  void close() { set(is_closed_); }
  /// Something went wrong: whoever waits at either end goes on with nothing.
  void abandon() { set(is_abandoned_); }

 private:
  void set(bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    changed_.notify_all();
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool is_closed_ = false;
  bool is_abandoned_ = false;
};

}  // namespace base

#endif  // BASE_INFER_BOUNDED_QUEUE_H_
