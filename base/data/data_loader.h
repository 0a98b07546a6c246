// data_loader.h: the class an author fills in to say what the data are. How they are read is the runtime's business:
//
//     sampler -> parse and augment, in threads -> collate -> made ahead -> a batch       (batch_stream.h)
//
#ifndef BASE_DATA_DATA_LOADER_H_
#define BASE_DATA_DATA_LOADER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/data/batch.h"
#include "base/data/sampler.h"
#include "base/tensor/random.h"

namespace base {

/// What is drawn for the examples of a batch: from the seed, the epoch and the example's place in its order alone. Not
/// from its number: one that a sampler gives several times is another one each time.
struct Draw {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t first = 0;  // place of the batch's first example in the order of the epoch, which all ranks share
  bool augment = false;    // only in training

  /// For the example at `position` of the batch.
  Random random_at(std::size_t position) const {
    return Random(seed, static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(first) + position);
  }
};

/// All hooks but size() are called by several threads at once, on a const object: what they change must be local.
class DataLoader {
 public:
  /// size() of data whose end only shows when it is reached. They are read in order.
  static constexpr std::int64_t kUnknownSize = -1;

  virtual ~DataLoader() = default;

  /// How many examples there are, or kUnknownSize.
  virtual std::int64_t size() const = 0;

  /// Example number `index`. If the size is unknown, an empty Example says that the data end before it.
  virtual Example parse(std::int64_t index) const = 0;

  /// Changes an example at random; in training only.
  virtual Example augment(Example example, Random& /*random*/) const { return example; }

  /// Tensors that differ in size from example to example, and what is put behind the shorter ones: see stack().
  virtual std::vector<Padding> ragged() const { return {}; }

  /// Makes one of many: stacks them, unless overridden.
  virtual Tensors collate(std::span<const Example> examples) const { return stack(examples, ragged()); }

  /// Where example `index` comes from, "labels.csv:17" say, for messages. Empty: its number says enough.
  virtual std::string where(std::int64_t /*index*/) const { return {}; }

  /// "example 17 (labels.csv:18)"
  std::string name_of(std::int64_t index) const;

  /// The order of the examples in training; otherwise they come one after the other.
  virtual std::unique_ptr<Sampler> training_sampler(std::uint64_t seed) const {
    return std::make_unique<ShuffledSampler>(seed);
  }

  /// Parse, augment and collate in one. Data that are at hand as a whole (tensor_loader.h) do it faster at once.
  virtual Batch make_batch(std::span<const std::int64_t> indices, const Draw& draw) const;

 protected:
  DataLoader() = default;
  DataLoader(const DataLoader&) = default;
  DataLoader& operator=(const DataLoader&) = default;

  /// For a make_batch() of one's own, within catch (...): the same exception, with the example it is about.
  [[noreturn]] void rethrow_for(std::int64_t index) const;
  /// Likewise: collate(), which names the example that is not as the first one is.
  Tensors collate_named(std::span<const Example> examples, std::span<const std::int64_t> indices) const;
};

}  // namespace base

#endif  // BASE_DATA_DATA_LOADER_H_
