// infer_batch.h: samples on their way through an Inferer, with what is run for them. Within base/infer.
#ifndef BASE_INFER_INFER_BATCH_H_
#define BASE_INFER_INFER_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/infer/sample.h"

namespace base {

class InferBatch {
 public:
  /// Rows of one shape, run together.
  struct Run {
    std::vector<Feed> rows = {};          // whose memory `inputs` may look at
    std::vector<HostTensor> inputs = {};  // stacked, in the order of the signature
    bool is_batch = false;                // it came as a batch, or the model has no batch axis: nothing was stacked
    std::int64_t count = 0;               // of rows
    std::vector<HostTensor> outputs = {};
  };
  /// Where the answer to a feed is.
  struct Place {
    std::size_t run = 0;
    std::size_t row = 0;
  };
  struct Entry {
    Sample sample;
    std::vector<Place> places = {};  // of its feeds
  };

  /// `feeds` are those of the sample, in the order of the signature. `whole`: each is run by itself, as it is.
  void add(Sample sample, std::vector<Feed> feeds, bool whole);
  /// Makes the inputs of each run from its rows.
  void stack();

  /// Rows so far.
  std::int64_t rows() const { return rows_; }
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Run>& runs() { return runs_; }

  /// The outputs for a feed.
  std::vector<TensorView> answer(const Place& place) const;
  /// "line 17", or "line 17 to line 80".
  std::string name() const;

  bool is_flush = false;  // the reader has to wait: the sink shows what it has

 private:
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
  std::int64_t rows_ = 0;
};

}  // namespace base

#endif  // BASE_INFER_INFER_BATCH_H_
