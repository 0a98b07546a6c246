#include "base/torch.h"

#include "base/callbacks/sample_saver.h"

#include <algorithm>
#include <set>

#include "base/callbacks/splitting.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/safetensors.h"
#include "base/tensor/tensor_view.h"

namespace base {
namespace {

/// A name comes from data, and must not lead out of the folder.
void check_name(const std::string& name) {
  const std::filesystem::path path(name);
  const bool leaves = path.is_absolute() || std::ranges::find(path, "..") != path.end();
  if (!name.empty() && !leaves && name.find('\0') == std::string::npos) return;
  throw Error(ErrorKind::kData, "a sample's name is no path inside the folder", name,
              "give names without .. and a / in front");
}

}  // namespace

void SampleSaverSettings::declare(Knobs& knobs) {
  knobs.add("keys", keys, "the tensors to save, by name");
  knobs.add("not_batched", not_batched, "those of them that have no row for each sample: all of it goes to each");
  knobs.add("modes", modes, "when", {.choices = {"train", "validation", "predict"}});
  knobs.add("names_key", names_key,
            "the tensor with the name of each sample; empty: made of epoch, iteration and number");
  knobs.add("prefix", prefix, "in front of each name");
  knobs.add("suffix", suffix, "behind each name");
}

bool is_among(const std::vector<std::string>& modes, Model::Mode mode) {
  static constexpr std::array<std::string_view, 3> kNames{"train", "validation", "predict"};
  return std::ranges::find(modes, kNames.at(static_cast<std::size_t>(mode))) != modes.end();
}

std::vector<std::string> SampleSaver::needs() const {
  std::vector<std::string> keys = settings_.keys;
  if (!settings_.names_key.empty()) keys.push_back(settings_.names_key);
  return keys;
}

std::optional<Tensors> SampleSaver::process(const Tensors& data, const TrainState& state, TrainControl& /*control*/) {
  if (state.log_dir.empty()) return Tensors{};
  std::vector<Tensors> samples = split_batch(data, settings_.not_batched);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::string name = format("epoch-{}_iteration-{}_sample-{}", epoch_of(state), state.iteration, i);
    Tensors sample;
    for (const auto& [key, tensor] : samples[i]) {
      if (key == settings_.names_key) name = text_of_row(tensor);
      if (std::ranges::find(settings_.keys, key) != settings_.keys.end()) sample.set(key, tensor);
    }
    name = settings_.prefix + name + settings_.suffix;
    check_name(name);
    const std::filesystem::path path = state.log_dir / this->name() / name;
    std::filesystem::create_directories(path.parent_path());
    save(path, sample);
  }
  return Tensors{};
}

void SafetensorsSaver::save(const std::filesystem::path& path, const Tensors& sample) {
  std::vector<torch::Tensor> tensors;  // the views look into them
  std::vector<TensorView> views;
  for (const auto& [key, tensor] : sample) views.push_back(view_of(key, tensors.emplace_back(tensor.contiguous())));
  write_safetensors(path.string() + ".safetensors", views);
}

std::int64_t epoch_of(const TrainState& state) {
  return state.mode == Model::Mode::kTrain ? state.epoch + 1 : state.epoch;
}

std::string text_of_row(const torch::Tensor& row) {
  const torch::Tensor bytes = row.to(torch::kCPU, torch::kUInt8).contiguous();
  const std::string text(
      reinterpret_cast<const char*>(bytes.const_data_ptr<std::uint8_t>()),  // NOLINT(*-reinterpret-cast)
      static_cast<std::size_t>(bytes.numel()));
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

torch::Tensor rows_of_texts(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  torch::Tensor rows =
      torch::zeros({static_cast<std::int64_t>(texts.size()), static_cast<std::int64_t>(longest)}, torch::kUInt8);
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::ranges::copy(texts[i], rows[static_cast<std::int64_t>(i)].mutable_data_ptr<std::uint8_t>());
  return rows;
}

}  // namespace base
