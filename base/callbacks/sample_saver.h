// sample_saver.h: keeps samples as files, one at a time.
#ifndef BASE_CALLBACKS_SAMPLE_SAVER_H_
#define BASE_CALLBACKS_SAMPLE_SAVER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct SampleSaverSettings {
  std::vector<std::string> keys;         // what is saved
  std::vector<std::string> not_batched;  // of these, what has no row for each sample
  std::vector<std::string> modes = {"predict"};
  std::string names_key;  // the tensor that has the name of each sample, as bytes; empty: names are made up
  std::string prefix;
  std::string suffix;

  void declare(Knobs& knobs);
};

/// Whether "train", "validation" or "predict" is among these modes, as `mode` is.
bool is_among(const std::vector<std::string>& modes, Model::Mode mode);

/// Splits batches into samples and gives each a name in the folder of the mode: the one in `names_key`, or
/// "epoch-1_iteration-17_sample-3", from which `prefix` and `suffix` make the whole. What is done with it is for a
/// class that derives from it to say:
///
///     class TextSaver final : public base::SampleSaver {
///       using SampleSaver::SampleSaver;
///       std::string name() const override { return "text_saver"; }
///       void save(const std::filesystem::path& path, const base::Tensors& sample) override;  // adds the extension
///     };
///
class SampleSaver : public Callback {
 public:
  explicit SampleSaver(SampleSaverSettings settings) : settings_(std::move(settings)) {}

  bool runs_in(Model::Mode mode) const final { return is_among(settings_.modes, mode); }
  std::vector<std::string> needs() const final;
  std::optional<Tensors> process(const Tensors& data, const TrainState& state, TrainControl& control) final;

 protected:
  /// The path is in a folder that exists, and has no extension.
  virtual void save(const std::filesystem::path& path, const Tensors& sample) = 0;

 private:
  SampleSaverSettings settings_;
};

/// Each sample as a safetensors file.
class SafetensorsSaver final : public SampleSaver {
 public:
  using SampleSaver::SampleSaver;
  std::string name() const override { return "sample_saver"; }

 private:
  void save(const std::filesystem::path& path, const Tensors& sample) override;
};

/// The epoch that is being trained, or the last one that was.
std::int64_t epoch_of(const TrainState& state);
/// The text that a row of bytes is, without zeros at its end.
std::string text_of_row(const torch::Tensor& row);
/// A row of bytes for each text, filled up with zeros: how names travel among tensors.
torch::Tensor rows_of_texts(const std::vector<std::string>& texts);

}  // namespace base

#endif  // BASE_CALLBACKS_SAMPLE_SAVER_H_
