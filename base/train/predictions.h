// predictions.h: the answers of a model to all of a loader's examples, one batch at a time.
#ifndef BASE_TRAIN_PREDICTIONS_H_
#define BASE_TRAIN_PREDICTIONS_H_

#include <cstddef>
#include <iterator>
#include <optional>

#include "base/data/batch_stream.h"
#include "base/train/callback.h"

namespace base {

class Trainer;

struct Prediction {
  Batch batch;      // as it was read, labels and all
  Tensors outputs;  // what postprocess() gave, on the CPU
};

/// A range to go through once:
///
///     for (const Prediction& prediction : trainer.predict(loader)) ...
///
/// A batch is run when the loop asks for it, and the one after it is read; leaving the loop early leaves the rest
/// undone.
class Predictions {
 public:
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Prediction;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Predictions* range = nullptr) : range_(range) {}
    const Prediction& operator*() const { return *range_->current_; }
    Iterator& operator++() {
      range_->advance();
      return *this;
    }
    void operator++(int) { range_->advance(); }
    bool operator==(std::default_sentinel_t /*end*/) const { return !range_->current_; }

   private:
    Predictions* range_;
  };

  Predictions(Trainer& trainer, BatchStream stream) : trainer_(&trainer), stream_(std::move(stream)) {}

  Iterator begin() {
    advance();
    return Iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  void advance();

  Trainer* trainer_;
  BatchStream stream_;
  std::optional<Prediction> current_;
  std::optional<Batch> next_;  // read ahead, so that callbacks know which is the last
  TrainState state_;           // of this pass, for callbacks
  TrainControl control_;
};

}  // namespace base

#endif  // BASE_TRAIN_PREDICTIONS_H_
