#include "base/torch.h"

#include "base/callbacks/exporter.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/artifact/artifact.h"
#include "base/export/export_model.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

/// Empty if there is none: a trainer need not be made from a file.
std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

void ExporterSettings::declare(Knobs& knobs) {
  knobs.add("every", every, "validations from one export to the next; 0: only when asked", {.min = 0});
  knobs.add("best_only", best_only, "only those with the best score so far");
  knobs.add("keep", keep, "so many of the newest exports, and the best; 0: all", {.min = 0});
  knobs.add("precision", precision, "in which the exported model computes", {.choices = {"fp32", "fp16", "int8"}});
  knobs.add("int8_engine", int8_engine, "int8: which engine the model is to be fast in; others run it too",
            {.choices = {"tensorrt", "onnxruntime"}});
  knobs.add("calibration_batches", calibration_batches,
            "int8: batches of training data that the ranges are measured with", {.min = 1});
}

std::filesystem::path export_run(Trainer& trainer, const ExporterSettings& settings, const std::string& project) {
  const TrainState& state = trainer.state();
  const RunFolder run = RunFolder::open(state.run);
  const std::string suffix = settings.precision == "fp32" ? "" : "-" + settings.precision;
  ExportRequest request{.folder = run.exports() / (std::to_string(state.step) + suffix),
                        .manifest = {.model = project, .project = project, .step = state.step},
                        .settings = text_of(run.config())};
  request.manifest.precision = settings.precision;
  for (const auto& [name, value] : state.validation) {
    request.manifest.metrics[name] = value;
    if (name != trainer.settings().score) continue;
    request.manifest.score = value;
    request.manifest.lower_is_better = trainer.settings().lower_is_better;
  }

  request.quantized_for = settings.int8_engine == "onnxruntime" ? QuantizedFor::kOnnxRuntime : QuantizedFor::kTensorRt;
  DataSettings data = trainer.settings().data;
  data.limit = data.batch_size * settings.calibration_batches;
  data.threads = 0;
  std::optional<BatchStream> stream;
  request.calibration = [&]() -> std::optional<Tensors> {
    if (!stream)  // shuffled, as in training: the first of the data may all be of one kind
      stream.emplace(trainer.training_data(),
                     BatchStream::Options{.settings = data, .seed = trainer.settings().seed, .training = true});
    auto batch = stream->next();
    if (!batch) return {};
    return std::move(batch->tensors);
  };
  std::error_code error;
  std::filesystem::create_directories(run.exports(), error);
  if (error) {
    throw Error(ErrorKind::kExport, format("the folder of the exports cannot be made ({})", error.message()),
                run.exports().string(), "see what is there, and who may write to the run");
  }
  trainer.serve([&](Model& model) { export_model(model, request); });
  return request.folder;
}

void Exporter::on_validation_end(const TrainState& state, TrainControl& /*control*/) {
  ++validations_;
  const bool best = is_best(state);
  if (settings_.best_only ? best : settings_.every > 0 && validations_ % settings_.every == 0) export_now(state);
}

void Exporter::on_end(const TrainState& state, TrainControl& /*control*/) {
  if (state.mode == Model::Mode::kTrain && state.validation.empty() && settings_.every > 0) export_now(state);
}

bool Exporter::is_best(const TrainState& state) {
  const TrainSettings& train = trainer_.settings();
  const double score = result_of(state.validation, train.score);
  if (std::isnan(score)) return false;
  const bool best = !has_best_ || (train.lower_is_better ? score < best_ : score > best_);
  if (best) best_ = score;
  has_best_ = true;
  return best;
}

void Exporter::export_now(const TrainState& state) {
  if (state.run.empty() || failed_) return;
  try {
    log::info("exported to {}", export_run(trainer_, settings_, project_));
    if (settings_.keep > 0) keep_newest_exports(state.run / "exports", settings_.keep);
  } catch (const Error& error) {
    failed_ = true;
    log::warn("the model is not exported, now or later in this run: {}\n  fix: {}", error.problem(), error.fix());
  }
}

void Exporter::save_state(State& state) const {
  state.set("validations", validations_);
  state.set("has_best", has_best_ ? std::int64_t{1} : std::int64_t{0});
  state.set("best", best_);
}

void Exporter::load_state(const State& state) {
  validations_ = state.get<std::int64_t>("validations");
  has_best_ = state.get<std::int64_t>("has_best") != 0;
  best_ = state.get<double>("best");
}

}  // namespace base
