#include "base/torch.h"

#include "base/callbacks/record_saver.h"

#include <algorithm>
#include <regex>

#include "base/callbacks/splitting.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/tf_example.h"

namespace base {
namespace {

Feature feature_of(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kCPU).contiguous().flatten();
  const auto size = static_cast<std::size_t>(flat.numel());
  if (flat.scalar_type() == torch::kUInt8) {
    const auto* bytes =
        reinterpret_cast<const char*>(flat.const_data_ptr<std::uint8_t>());  // NOLINT(*-reinterpret-cast)
    return std::vector<std::string>{std::string(bytes, size)};
  }
  if (flat.is_floating_point()) {
    const torch::Tensor floats = flat.to(torch::kFloat);
    return std::vector<float>(floats.const_data_ptr<float>(), floats.const_data_ptr<float>() + size);
  }
  const torch::Tensor integers = flat.to(torch::kLong);
  return std::vector<std::int64_t>(integers.const_data_ptr<std::int64_t>(),
                                   integers.const_data_ptr<std::int64_t>() + size);
}

TfExample example_of(const Tensors& sample) {
  TfExample example;
  for (const auto& [name, tensor] : sample) {
    example[name] = feature_of(tensor);
    if (tensor.dim() > 0)
      example[name + "_shape"] = std::vector<std::int64_t>(tensor.sizes().begin(), tensor.sizes().end());
  }
  return example;
}

/// What an earlier pass of the same name left: a run that was killed and goes on makes it anew.
void remove_shards(const std::filesystem::path& folder, const std::string& name) {
  if (!std::filesystem::exists(folder)) return;
  const std::regex shard(R"((.*)-\d{5}-of-\d{5}\.tfrecord)");
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::smatch match;
    const std::string file = entry.path().filename().string();
    if (std::regex_match(file, match, shard) && match[1] == name) found.push_back(entry.path());
  }
  for (const auto& file : found) std::filesystem::remove(file);
}

}  // namespace

void RecordSaverSettings::declare(Knobs& knobs) {
  knobs.add("keys", keys, "the tensors to save, by name");
  knobs.add("not_batched", not_batched, "those of them that have no row for each sample: all of it goes to each");
  knobs.add("modes", modes, "when", {.choices = {"train", "validation", "predict"}});
  knobs.add("names_key", names_key, "the tensor with the name of each sample; a new name begins a new file");
  knobs.add("max_megabytes", max_megabytes, "of a file", {.min = 1});
  knobs.add("max_records", max_records, "of a file; 0: any number", {.min = 0});
}

RecordSaver::RecordSaver(RecordSaverSettings settings) : settings_(std::move(settings)) {}

bool RecordSaver::runs_in(Model::Mode mode) const {
  return is_among(settings_.modes, mode);
}

std::vector<std::string> RecordSaver::needs() const {
  std::vector<std::string> keys = settings_.keys;
  if (!settings_.names_key.empty()) keys.push_back(settings_.names_key);
  return keys;
}

void RecordSaver::open(const TrainState& state, const std::string& sample_name) {
  if (writer_ && sample_name == sample_name_) return;
  close(writer_mode_);
  const std::string pass =
      state.mode == Model::Mode::kInfer ? "predict" : format("epoch-{}_step-{}", epoch_of(state), state.step);
  const std::filesystem::path folder = state.log_dir / "records";
  const std::string name = sample_name.empty() ? pass : sample_name;
  remove_shards(folder, name);
  writer_ = std::make_unique<ShardedWriter>(
      folder, name,
      ShardOptions{.max_bytes = static_cast<std::uint64_t>(settings_.max_megabytes) << 20,
                   .max_records = static_cast<std::uint64_t>(settings_.max_records)});
  writer_mode_ = state.mode;
  sample_name_ = sample_name;
}

void RecordSaver::close(Model::Mode mode) {
  if (!writer_ || mode != writer_mode_) return;
  writer_->close();
  writer_.reset();
}

std::optional<Tensors> RecordSaver::process(const Tensors& data, const TrainState& state, TrainControl& /*control*/) {
  if (state.log_dir.empty()) return Tensors{};
  for (const Tensors& sample : split_batch(data, settings_.not_batched)) {
    Tensors own;
    std::string name;
    for (const auto& [key, tensor] : sample) {
      if (key == settings_.names_key) name = text_of_row(tensor);
      if (std::ranges::find(settings_.keys, key) != settings_.keys.end()) own.set(key, tensor);
    }
    open(state, name);
    writer_->append(bytes_of(encode_example(example_of(own))));
  }
  if (state.is_last) close(state.mode);
  return Tensors{};
}

void RecordSaver::on_epoch_end(const TrainState& /*state*/, TrainControl& /*control*/) {
  close(Model::Mode::kTrain);
}

void RecordSaver::on_end(const TrainState& /*state*/, TrainControl& /*control*/) {
  close(writer_mode_);
}

}  // namespace base
