// sample.h: what an exported model is asked, where the questions come from, and where the answers go.
#ifndef BASE_INFER_SAMPLE_H_
#define BASE_INFER_SAMPLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/infer/host_tensor.h"

namespace base {

/// The inputs of one run, by name, in any order.
using Feed = std::vector<HostTensor>;

/// One question. Usually one feed; several, such as the crops of a picture, are all run and then made one answer.
struct Sample {
  std::string name = {};  // for messages and for sinks: "cat.jpg", "line 17"
  std::vector<Feed> feeds = {};
  /// The feed is a whole batch already: its tensors have the batch axis, and so has the answer. Without it the tensors
  /// of a model with a batch axis are one row each, without that axis.
  bool is_batch = false;
  std::string id = {};                       // JSON that goes back with the answer; empty: none
  std::shared_ptr<const void> context = {};  // whatever the reader wants the sink to see
};

/// Where samples come from. Called from one thread, which need not be the one that made it.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  /// The next one; nothing at the end.
  virtual std::optional<Sample> next() = 0;
  /// Whether next() would answer at once. If it says no, what was gathered so far is run first, not when a batch is
  /// full: somebody may be waiting at the other end of a pipe.
  virtual bool is_ready() { return true; }
  /// The rest is not wanted any more: a next() that waits returns nothing soon. From another thread.
  virtual void cancel() {}
  /// How many there are, for progress.
  virtual std::optional<std::int64_t> size() const { return std::nullopt; }
};

/// Where answers go. Called in the order of the samples, from the thread that called Inferer::run().
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;

  /// The outputs are in the order of the signature, and gone after the call.
  virtual void take(const Sample& sample, std::span<const TensorView> outputs) = 0;
  /// Nothing more is at hand for now: whoever waits for answers should see those that there are.
  virtual void flush() {}
  /// After the last one; not after an error.
  virtual void finish() {}
};

}  // namespace base

#endif  // BASE_INFER_SAMPLE_H_
