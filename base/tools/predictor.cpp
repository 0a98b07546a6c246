// predictor: the answers of an exported model, without LibTorch.
//
//     predictor exports/400 < questions.jsonl > answers.jsonl        one JSON object a line: {"image": [[0.1, ...],
//     ...]} predictor exports/400 --input questions.safetensors --output answers.csv predictor exports/400 --describe
//     what it takes and gives
//
// Given the folder of several exports it takes the newest.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/artifact/artifact.h"
#include "base/config/settings.h"
#include "base/infer/inferer.h"
#include "base/infer/json_lines.h"
#include "base/infer/tensor_file.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/progress_bar.h"

namespace {

namespace fs = std::filesystem;

struct Settings {
  std::string target = "auto";
  fs::path input = "-";
  fs::path output = "-";
  int batch_size = 64;
  int threads = 0;
  bool pipeline = true;
  bool describe = false;

  void declare(base::Knobs& knobs) {
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
class ProgressSink final : public base::AnswerSink {
 public:
  ProgressSink(std::unique_ptr<base::AnswerSink> sink, std::optional<std::int64_t> total)
      : sink_(std::move(sink)), bar_({.label = "predicting", .total = total}) {}

  void take(const base::Sample& sample, std::span<const base::TensorView> outputs) override {
    sink_->take(sample, outputs);
    bar_.advance();
  }
  void flush() override { sink_->flush(); }
  void finish() override {
    sink_->finish();
    bar_.finish();
  }

 private:
  std::unique_ptr<base::AnswerSink> sink_;
  base::ProgressBar bar_;
};

std::unique_ptr<base::SampleReader> make_reader(const fs::path& input, const base::Signature& signature) {
  if (input.extension() == ".safetensors") return std::make_unique<base::SafetensorsReader>(input, signature);
  return std::make_unique<base::JsonLinesReader>(input, signature);
}

std::unique_ptr<base::AnswerSink> make_sink(const fs::path& output) {
  if (output.extension() == ".safetensors") return std::make_unique<base::SafetensorsSink>(output);
  if (output.extension() == ".csv") return std::make_unique<base::CsvSink>(output);
  return std::make_unique<base::JsonLinesSink>(output);
}

fs::path find_export(const fs::path& folder) {
  if (!fs::is_directory(folder)) return folder;  // the backend says what is wrong with it
  return base::newest_export(folder).value_or(folder);
}

void describe(const fs::path& folder) {
  const base::Artifact artifact = base::Artifact::open(folder);
  const base::ExportManifest& manifest = artifact.manifest();
  std::cout << base::format("{} of step {}, {}, exported {}\n", manifest.model, manifest.step, manifest.precision,
                            manifest.time);
  for (const base::TensorSpec& spec : manifest.signature.inputs) std::cout << "  input   " << describe(spec) << "\n";
  for (const base::TensorSpec& spec : manifest.signature.outputs) std::cout << "  output  " << describe(spec) << "\n";
  for (const auto& [name, value] : manifest.metrics) std::cout << base::format("  {}: {:.6g}\n", name, value);
  std::cout << std::flush;
}

int predict(const fs::path& folder, const Settings& settings) {
  base::Inferer inferer(folder, {.target = settings.target,
                                 .threads = settings.threads,
                                 .batch_size = settings.batch_size,
                                 .pipeline = settings.pipeline});
  const auto reader = make_reader(settings.input, inferer.signature());
  std::unique_ptr<base::AnswerSink> sink = make_sink(settings.output);
  const bool is_filter = settings.input == "-" || settings.output == "-";
  if (!is_filter) sink = std::make_unique<ProgressSink>(std::move(sink), reader->size());
  const base::Inferer::Stats stats = inferer.run(*reader, *sink);
  if (!is_filter)
    base::log::info("{} answers by {} are in {}", stats.samples, inferer.backend().description(), settings.output);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    std::string folder;
    if (!arguments.empty() && !arguments[0].starts_with("-")) {
      folder = arguments[0];
      arguments.erase(arguments.begin());
    }
    Settings settings;
    const auto origins = base::load_settings(
        settings, arguments,
        {.program = "predictor EXPORT", .description = "The answers of an exported model, without LibTorch."});
    if (!origins) return 0;
    if (folder.empty()) {
      throw base::Error(base::ErrorKind::kUsage, "the exported model is missing", "",
                        "give its folder first: predictor exports/400 --input questions.jsonl");
    }
    const fs::path found = find_export(folder);
    if (settings.describe) {
      describe(found);
      return 0;
    }
    return predict(found, settings);
  });
}
