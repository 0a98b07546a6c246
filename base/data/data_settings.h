// data_settings.h: the knobs of reading data.
#ifndef BASE_DATA_DATA_SETTINGS_H_
#define BASE_DATA_DATA_SETTINGS_H_

#include <cstdint>

#include "base/config/knobs.h"

namespace base {

struct DataSettings {
  std::int64_t batch_size = 32;
  bool shuffle = true;
  bool drop_last = false;
  int threads = 1;           // 0: batches are made by the training thread itself
  int prefetch = 4;          // batches made ahead
  std::int64_t limit = 0;    // 0: all
  std::int64_t overfit = 0;  // 0: no

  void declare(Knobs& knobs) {
    knobs.add("batch_size", batch_size, "examples in a batch", {.min = 1});
    knobs.add("shuffle", shuffle, "a new order in every epoch of training");
    knobs.add("drop_last", drop_last, "leave out a last batch that is not full");
    knobs.add("threads", threads, "that read examples ahead; 0: the training thread reads them itself",
              {.min = 0, .max = 1024});
    knobs.add("prefetch", prefetch, "batches that are made ahead", {.min = 1, .max = 4096});
    knobs.add("limit", limit, "for debugging: take only so many examples, the first ones; 0: all", {.min = 0});
    knobs.add("overfit", overfit,
              "for debugging: train and validate on the first so many batches, neither shuffled nor augmented; 0: no",
              {.min = 0});
  }
};

}  // namespace base

#endif  // BASE_DATA_DATA_SETTINGS_H_
