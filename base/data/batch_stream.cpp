#include "base/data/batch_stream.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/one_thread.h"

namespace base {
namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 2;

/// How many examples of the data are used at all.
std::int64_t used_size(std::int64_t size, const BatchStream::Options& options) {
  const DataSettings& settings = options.settings;
  if (size == 0) {
    throw Error(ErrorKind::kData, "the data set is empty", "0 examples",
                "check the files and folders that the data settings name");
  }
  if (size == DataLoader::kUnknownSize) size = kEndless;
  if (settings.limit > 0) size = std::min(size, settings.limit);
  if (settings.overfit > 0) size = std::min(size, settings.overfit * settings.batch_size * options.world.size);
  return size;
}

/// The order of one epoch. Data of unknown size come as they are, and need no list of numbers.
std::vector<std::int64_t> epoch_order(const DataLoader& loader, const BatchStream::Options& options,
                                      std::int64_t size) {
  const bool shuffled = options.training && options.settings.shuffle && options.settings.overfit == 0;
  if (loader.size() == DataLoader::kUnknownSize) {
    if (!shuffled) return {};
    throw Error(ErrorKind::kConfig, "data of unknown size cannot be shuffled", "shuffle = true",
                "set shuffle = false, or let size() of the data loader say how many there are");
  }
  return shuffled ? loader.training_sampler(options.seed)->order(size, options.from.epoch)
                  : SequentialSampler().order(size, options.from.epoch);
}

}  // namespace

/// Threads claim the steps of the epoch one after the other, make their batches and put each into the slot of its
/// number; next() takes them out in order. A step may be claimed once the slot that it will need is free.
class BatchStream::Pipeline {
 public:
  Pipeline(const DataLoader& loader, const Options& options)
      : loader_(loader),
        options_(options),
        size_(used_size(loader.size(), options)),
        order_(epoch_order(loader, options, size_)),
        length_(order_.empty() ? size_ : static_cast<std::int64_t>(order_.size())),
        share_(options.world, options.settings.batch_size, options.settings.drop_last),
        last_step_(share_.steps(length_, options.from.taken)),
        taken_(options.from.taken),
        slots_(static_cast<std::size_t>(options.settings.prefetch)) {
    if (share_.steps(length_, 0) == 0) {
      throw Error(ErrorKind::kData,
                  "there are fewer examples than a batch holds, and drop_last leaves out what does not fill one",
                  format("{} examples, batches of {}", length_, options.settings.batch_size * options.world.size),
                  "make batch_size smaller, or set drop_last = false");
    }
    for (int thread = 0; thread < options.settings.threads; ++thread) threads_.emplace_back([this] { work(); });
  }

  ~Pipeline() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    room_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  std::optional<Batch> next() {
    Slot slot;
    if (threads_.empty()) {
      if (delivered_ >= last_step_) return {};
      slot = make(delivered_);
    } else {
      std::unique_lock lock(mutex_);
      Slot& made = slots_[slot_of(delivered_)];
      ready_.wait(lock, [&] { return made.full || delivered_ >= last_step_; });
      if (!made.full) return {};
      slot = std::exchange(made, {});
      --made_;
    }
    if (slot.error) {
      end_at(delivered_);
      std::rethrow_exception(slot.error);
    }
    advance(slot.short_of_examples);
    // Nothing for this process in a step of others, or the end of data of unknown size.
    if (slot.batch.indices.empty() && slot.short_of_examples) return {};
    return std::move(slot.batch);
  }

  Cursor cursor() const { return {options_.from.epoch, taken_}; }

  std::optional<std::int64_t> batches_per_epoch() const {
    if (length_ == kEndless) return {};
    return share_.steps(length_, 0);
  }

 private:
  struct Slot {
    Batch batch;
    std::exception_ptr error;
    bool short_of_examples = false;  // the data, of unknown size, ended in it
    bool full = false;
  };

  std::size_t slot_of(std::int64_t step) const { return static_cast<std::size_t>(step) % slots_.size(); }

  void work() {
    const OneThread one_thread;  // the work is spread over examples already
    std::unique_lock lock(mutex_);
    while (true) {
      room_.wait(lock, [&] {
        return stopped_ || (claimed_ < last_step_ && claimed_ < delivered_ + static_cast<std::int64_t>(slots_.size()));
      });
      if (stopped_) return;
      const std::int64_t step = claimed_++;
      lock.unlock();
      Slot slot = make(step);
      lock.lock();
      if (slot.short_of_examples) last_step_ = std::min(last_step_, step + 1);
      slots_[slot_of(step)] = std::move(slot);
      ++made_;
      if (step == delivered_) ready_.notify_one();
    }
  }

  /// Never throws: what goes wrong is delivered in the batch's place.
  Slot make(std::int64_t step) const {
    Slot slot;
    slot.full = true;
    try {
      const std::int64_t global_batch = options_.settings.batch_size * options_.world.size;
      const auto [first, count, taken] = share_.step(length_, options_.from.taken + step * global_batch);
      std::vector<std::int64_t> numbers;
      std::span<const std::int64_t> indices;
      if (order_.empty()) {
        for (std::int64_t i = 0; i < count; ++i) numbers.push_back(first + i);
        indices = numbers;
      } else {
        indices = std::span(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      }
      const bool augment = options_.training && options_.settings.overfit == 0;
      slot.batch = loader_.make_batch(indices, {options_.seed, options_.from.epoch, first, augment});
      slot.short_of_examples = slot.batch.size() < count;
      if (slot.short_of_examples && loader_.size() != DataLoader::kUnknownSize) {
        throw Error(ErrorKind::kData, "an example is empty, though size() counts it",
                    loader_.name_of(indices[static_cast<std::size_t>(slot.batch.size())]),
                    "let parse() of the data loader fill it, or size() leave it out");
      }
      if (options_.pin)
        for (auto& [name, tensor] : slot.batch.tensors) tensor = tensor.pin_memory();
    } catch (...) {
      slot.error = std::current_exception();
    }
    return slot;
  }

  void advance(bool short_of_examples) {
    const auto after = share_.step(length_, taken_).taken;
    bool is_half_empty = false;
    {
      const std::lock_guard lock(mutex_);
      taken_ = after;
      ++delivered_;
      if (short_of_examples) last_step_ = delivered_;
      is_half_empty = 2 * made_ <= slots_.size();
    }
    // To wake a thread takes as long as to make a small batch: as long as half of them are there, it sleeps.
    if (is_half_empty) room_.notify_all();
  }

  void end_at(std::int64_t step) {
    const std::lock_guard lock(mutex_);
    last_step_ = step;
  }

  const DataLoader& loader_;
  const Options options_;
  const std::int64_t size_;
  const std::vector<std::int64_t> order_;  // empty: as they come
  const std::int64_t length_;              // examples in the epoch
  const DistributedShare share_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable room_;
  std::condition_variable ready_;
  std::int64_t last_step_;      // steps from options_.from to the end
  std::int64_t claimed_ = 0;    // steps that threads have begun
  std::int64_t delivered_ = 0;  // steps that next() has given
  std::int64_t taken_;          // examples of the order up to there
  std::vector<Slot> slots_;
  std::size_t made_ = 0;  // slots that are full
  bool stopped_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

BatchStream::BatchStream(const DataLoader& loader, const Options& options)
    : pipeline_(std::make_unique<Pipeline>(loader, options)) {}
BatchStream::~BatchStream() = default;
BatchStream::BatchStream(BatchStream&&) noexcept = default;
BatchStream& BatchStream::operator=(BatchStream&&) noexcept = default;

std::optional<Batch> BatchStream::next() {
  return pipeline_->next();
}
Cursor BatchStream::cursor() const {
  return pipeline_->cursor();
}
std::optional<std::int64_t> BatchStream::batches_per_epoch() const {
  return pipeline_->batches_per_epoch();
}

}  // namespace base
