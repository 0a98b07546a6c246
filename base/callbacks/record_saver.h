// record_saver.h: keeps samples in TFRecord files.
#ifndef BASE_CALLBACKS_RECORD_SAVER_H_
#define BASE_CALLBACKS_RECORD_SAVER_H_

#include <memory>

#include "base/callbacks/sample_saver.h"
#include "base/records/sharded_writer.h"

namespace base {

struct RecordSaverSettings {
  std::vector<std::string> keys;
  std::vector<std::string> not_batched;
  std::vector<std::string> modes = {"predict"};
  std::string names_key;
  std::int64_t max_megabytes = 256;
  std::int64_t max_records = 0;

  void declare(Knobs& knobs);
};

/// A tf.train.Example for each sample: a tensor becomes a list of its numbers (bytes are one text), with "NAME_shape"
/// beside it. They go to records/<pass>-00000-of-00003.tfrecord in the folder of the mode, split by size; if the
/// samples have names, a new name begins a new file, so that a sequence stays together.
class RecordSaver final : public Callback {
 public:
  explicit RecordSaver(RecordSaverSettings settings);

  std::string name() const override { return "record_saver"; }
  bool runs_in(Model::Mode mode) const override;
  std::vector<std::string> needs() const override;
  std::optional<Tensors> process(const Tensors& data, const TrainState& state, TrainControl& control) override;
  void on_epoch_end(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;

 private:
  void open(const TrainState& state, const std::string& sample_name);
  void close(Model::Mode mode);

  RecordSaverSettings settings_;
  std::unique_ptr<ShardedWriter> writer_;
  Model::Mode writer_mode_ = Model::Mode::kInfer;
  std::string sample_name_;  // of what is being written
};

}  // namespace base

#endif  // BASE_CALLBACKS_RECORD_SAVER_H_
