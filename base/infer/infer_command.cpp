#include "base/infer/infer_command.h"

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include "base/artifact/artifact.h"
#include "base/config/settings.h"
#include "base/infer/inferer.h"
#include "base/infer/json_lines.h"
#include "base/infer/tensor_file.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/progress_bar.h"

namespace base {
namespace {

namespace fs = std::filesystem;

struct InferSettings {
  fs::path folder;
  std::string target = "auto";
  fs::path input = "-";
  fs::path output = "-";
  int batch_size = 64;
  int threads = 0;
  bool pipeline = true;
  bool describe = false;

  void declare(Knobs& knobs) {
    knobs.add("export", folder, "the exported folder, or the one of several exports: then the newest of them",
              {.required = true});
    knobs.add("target", target, "where it runs: auto, cpu, cuda:0 or tensorrt:0");
    knobs.add("input", input, "JSON lines, or a .safetensors file with a tensor for each input; -: standard input");
    knobs.add("output", output, "JSON lines, or a .csv or .safetensors file; -: standard output");
    knobs.add("batch_size", batch_size, "samples that are run together at most", {.min = 1, .max = 65536});
    knobs.add("threads", threads, "inside the network; 0: as many as there are cores", {.min = 0, .max = 1024});
    knobs.add("pipeline", pipeline, "read, run and write at the same time");
    knobs.add("describe", describe, "say what the model is, and stop");
  }
};

// Shows how far it is.
class ProgressSink final : public AnswerSink {
 public:
  ProgressSink(std::unique_ptr<AnswerSink> sink, std::optional<std::int64_t> total)
      : sink_(std::move(sink)), bar_({.label = "predicting", .total = total}) {}

  void take(const Sample& sample, std::span<const TensorView> outputs) override {
    sink_->take(sample, outputs);
    bar_.advance();
  }
  void flush() override { sink_->flush(); }
  void finish() override {
    sink_->finish();
    bar_.finish();
  }

 private:
  std::unique_ptr<AnswerSink> sink_;
  ProgressBar bar_;
};

std::unique_ptr<SampleReader> make_reader(const fs::path& input, const Signature& signature) {
  if (input.extension() == ".safetensors") return std::make_unique<SafetensorsReader>(input, signature);
  return std::make_unique<JsonLinesReader>(input, signature);
}

std::unique_ptr<AnswerSink> make_sink(const fs::path& output) {
  if (output.extension() == ".safetensors") return std::make_unique<SafetensorsSink>(output);
  if (output.extension() == ".csv") return std::make_unique<CsvSink>(output);
  return std::make_unique<JsonLinesSink>(output);
}

fs::path find_export(const fs::path& folder) {
  if (!fs::is_directory(folder)) return folder;  // the backend says what is wrong with it
  return newest_export(folder).value_or(folder);
}

void describe(const fs::path& folder) {
  const Artifact artifact = Artifact::open(folder);
  const ExportManifest& manifest = artifact.manifest();
  std::cout << format("{} of step {}, {}, exported {}\n", manifest.model, manifest.step, manifest.precision,
                      manifest.time);
  for (const TensorSpec& spec : manifest.signature.inputs) std::cout << "  input   " << describe(spec) << "\n";
  for (const TensorSpec& spec : manifest.signature.outputs) std::cout << "  output  " << describe(spec) << "\n";
  for (const auto& [name, value] : manifest.metrics) std::cout << format("  {}: {:.6g}\n", name, value);
  std::cout << std::flush;
}

int predict(const fs::path& folder, const InferSettings& settings) {
  Inferer inferer(folder, {.target = settings.target,
                           .threads = settings.threads,
                           .batch_size = settings.batch_size,
                           .pipeline = settings.pipeline});
  const auto reader = make_reader(settings.input, inferer.signature());
  std::unique_ptr<AnswerSink> sink = make_sink(settings.output);
  const bool is_filter = settings.input == "-" || settings.output == "-";
  if (!is_filter) sink = std::make_unique<ProgressSink>(std::move(sink), reader->size());
  const Inferer::Stats stats = inferer.run(*reader, *sink);
  if (!is_filter)
    log::info("{} answers by {} are in {}", stats.samples, inferer.backend().description(), settings.output);
  return 0;
}

}  // namespace

int run_infer_command(const std::vector<std::string>& arguments, const std::string& program,
                      const std::string& description) {
  InferSettings settings;
  if (!load_settings(settings, arguments, {.program = program, .description = description})) return 0;
  const fs::path found = find_export(settings.folder);
  if (settings.describe) {
    describe(found);
    return 0;
  }
  return predict(found, settings);
}

}  // namespace base
