#include "base/torch.h"

#include "base/app/callback_inference.h"

#include <utility>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensor_view.h"

namespace base {
namespace {

// The tensor and a view of it, for an input.
HostTensor host_tensor(const TensorSpec& spec, const torch::Tensor& tensor) {
  auto owner = std::make_shared<torch::Tensor>(tensor.contiguous());
  return {view_of(spec.name, *owner), owner};
}

// "example 17 (labels.csv:18) to example 80"
std::string batch_name(const DataLoader& loader, const Batch& batch) {
  if (batch.indices.empty()) return "an empty batch";
  if (batch.size() == 1) return loader.name_of(batch.indices[0]);
  return format("{} to {}", loader.name_of(batch.indices.front()), loader.name_of(batch.indices.back()));
}

}  // namespace

LoaderReader::LoaderReader(const DataLoader& loader, const BatchStream::Options& options, const Signature& signature)
    : loader_(loader), stream_(loader, options), signature_(signature) {}

std::optional<Sample> LoaderReader::next() {
  std::optional<Batch> next = stream_.next();
  if (!next) return std::nullopt;
  const auto batch = std::make_shared<const Batch>(std::move(*next));
  Sample sample{.name = batch_name(loader_, *batch), .is_batch = true, .context = batch};
  std::int64_t feeds = 0;  // of each example; 0: no lists of them
  for (const TensorSpec& spec : signature_.inputs) {
    const torch::Tensor& tensor = batch->tensors[spec.name];
    if (tensor.dim() == static_cast<std::int64_t>(spec.axes.size()) + 1) feeds = tensor.size(1);
  }
  sample.feeds.resize(static_cast<std::size_t>(std::max<std::int64_t>(feeds, 1)));
  for (const TensorSpec& spec : signature_.inputs) {
    const torch::Tensor& tensor = batch->tensors[spec.name];
    const bool is_list = feeds > 0 && tensor.dim() == static_cast<std::int64_t>(spec.axes.size()) + 1;
    if (is_list && tensor.size(1) != feeds)
      throw Error(ErrorKind::kData, "the lists of feeds differ in length", sample.name,
                  "see parse() of the data loader");
    for (std::size_t i = 0; i < sample.feeds.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      sample.feeds[i].push_back(host_tensor(spec, is_list ? tensor.select(1, index) : tensor));
    }
  }
  return sample;
}

CallbackSink::CallbackSink(CallbackGraph& callbacks, const Options& options) : callbacks_(callbacks) {
  if (!options.log_dir.empty()) summary_ = SummaryWriter(options.log_dir);
  state_.mode = Model::Mode::kInfer;
  state_.step = options.step;
  state_.iterations_per_epoch = options.batches;
  state_.log_dir = options.log_dir;
  state_.run = options.log_dir.parent_path();
  control_.summary = &summary_;
}

void CallbackSink::take(const Sample& sample, std::span<const TensorView> outputs) {
  if (held_) hand_on(/*is_last=*/false);
  held_.emplace(Answered{std::static_pointer_cast<const Batch>(sample.context), {}});
  for (const TensorView& output : outputs) held_->outputs.set(output.name, tensor_of(output));
}

void CallbackSink::finish() {
  if (held_) {
    hand_on(/*is_last=*/true);
  } else {
    callbacks_.fire(events::kBegin, state_, control_);
  }
  callbacks_.fire(events::kEnd, state_, control_);
  summary_.flush();
}

void CallbackSink::hand_on(bool is_last) {
  if (!std::exchange(begun_, true)) callbacks_.fire(events::kBegin, state_, control_);
  const Answered answered = *std::exchange(held_, std::nullopt);
  state_.is_last = is_last;
  state_.summary_step = state_.iteration;
  callbacks_.fire(events::kIterationBegin, state_, control_);
  ++state_.iteration;
  callbacks_.fire(events::kIterationEnd, state_, control_);
  if (!callbacks_.takes_data(state_.mode)) return;
  Tensors data = answered.batch->tensors;
  for (const auto& [name, tensor] : answered.outputs) data.set(name, tensor);
  state_.indices = answered.batch->indices;
  callbacks_.process(std::move(data), state_, control_);
}

Inferer::Stats infer_with_callbacks(Inferer& inferer, const DataLoader& data, CallbackGraph& callbacks,
                                    const DataSettings& settings, const CallbackSink::Options& options) {
  LoaderReader reader(data, {.settings = settings}, inferer.signature());
  CallbackSink::Options with_size = options;
  if (!with_size.batches) with_size.batches = reader.size();
  CallbackSink sink(callbacks, with_size);
  return inferer.run(reader, sink);
}

}  // namespace base
