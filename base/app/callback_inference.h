// callback_inference.h: the callbacks of training on what an exported model answers: DataLoader -> Inferer ->
// callbacks.
#ifndef BASE_APP_CALLBACK_INFERENCE_H_
#define BASE_APP_CALLBACK_INFERENCE_H_

#include <filesystem>
#include <memory>
#include <optional>

#include "base/data/batch_stream.h"
#include "base/infer/inferer.h"
#include "base/train/callback_graph.h"

namespace base {

/// The batches of a DataLoader, one sample each; the Batch is their context. The inputs are the tensors of the
/// signature's names. Where they have one axis more than the model takes, it is a list of feeds for each example, such
/// as the crops of a picture, behind the batch axis.
class LoaderReader final : public SampleReader {
 public:
  /// The loader must outlive the reader.
  LoaderReader(const DataLoader& loader, const BatchStream::Options& options, const Signature& signature);

  std::optional<Sample> next() override;
  std::optional<std::int64_t> size() const override { return stream_.batches_per_epoch(); }

 private:
  const DataLoader& loader_;
  BatchStream stream_;
  Signature signature_;
};

/// Calls the callbacks as a prediction of a Trainer does, in the mode kInfer, with the tensors of the batch and the
/// answers; for samples of a LoaderReader.
class CallbackSink final : public AnswerSink {
 public:
  struct Options {
    std::filesystem::path log_dir = {};        // for what callbacks save; empty: nowhere
    std::int64_t step = 0;                     // of the model
    std::optional<std::int64_t> batches = {};  // for progress
  };
  /// The callbacks must outlive the sink.
  CallbackSink(CallbackGraph& callbacks, const Options& options);

  void take(const Sample& sample, std::span<const TensorView> outputs) override;
  void finish() override;

 private:
  struct Answered {
    std::shared_ptr<const Batch> batch;
    Tensors outputs;
  };
  void hand_on(bool is_last);

  CallbackGraph& callbacks_;
  SummaryWriter summary_;
  TrainState state_;
  TrainControl control_;
  std::optional<Answered> held_;  // until it is known whether it is the last
  bool begun_ = false;
};

/// All of it in one call: the data through the model, the answers to the callbacks. `log_dir` is as above.
Inferer::Stats infer_with_callbacks(Inferer& inferer, const DataLoader& data, CallbackGraph& callbacks,
                                    const DataSettings& settings, const CallbackSink::Options& options = {});

}  // namespace base

#endif  // BASE_APP_CALLBACK_INFERENCE_H_
