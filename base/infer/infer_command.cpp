#include "base/infer/infer_command.h"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "base/artifact/artifact.h"
#include "base/config/settings.h"
#include "base/infer/inferer.h"
#include "base/infer/json_lines.h"
#include "base/infer/tensor_file.h"
#include "base/infer/tensorrt_settings.h"
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
  std::string ask;
  fs::path output = "-";
  int batch_size = 64;
  int threads = 0;
  bool pipeline = true;
  bool describe = false;
  TensorRtSettings tensorrt;

  void declare(Knobs& knobs) {
    knobs.add("export", folder, "the exported folder, or the one of several exports: then the best of them",
              {.required = true});
    knobs.add("target", target, "where it runs: auto, cpu, cuda:0 or tensorrt:0");
    knobs.add("input", input,
              "JSON lines (.jsonl), or a .safetensors file with a tensor for each input; -: standard input");
    knobs.add("ask", ask, "one question, in place of the input: an object with a value for each input of the model");
    knobs.add("output", output, "JSON lines (.jsonl), or a .csv or .safetensors file; -: standard output");
    knobs.add("batch_size", batch_size, "samples that are run together at most", {.min = 1, .max = 65536});
    knobs.add("threads", threads, "inside the network; 0: as many as there are cores", {.min = 0, .max = 1024});
    knobs.add("pipeline", pipeline, "read, run and write at the same time");
    knobs.add("describe", describe, "say what the model is, and stop");
    knobs.section("tensorrt", tensorrt, "how TensorRT builds and runs");
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

// The question of the command line.
class OneSample final : public SampleReader {
 public:
  explicit OneSample(Sample sample) : sample_(std::move(sample)) {}
  std::optional<Sample> next() override { return std::exchange(sample_, std::nullopt); }
  std::optional<std::int64_t> size() const override { return 1; }

 private:
  std::optional<Sample> sample_;
};

enum class Format { kJsonLines, kCsv, kSafetensors };

// By the extension, in letters of any case; nothing if it is not known. Pipes have none: -, /dev/stdin, /dev/fd/63.
std::optional<Format> format_of(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& letter : extension) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (extension.empty() || extension == ".jsonl" || extension == ".ndjson" || extension == ".json")
    return Format::kJsonLines;
  if (extension == ".csv") return Format::kCsv;
  if (extension == ".safetensors") return Format::kSafetensors;
  return std::nullopt;
}

// Links and redirections too. Terminals and pipes are at both ends of many programs.
bool is_same_file(const fs::path& input, const fs::path& output) {
  const fs::path from = input == "-" ? "/dev/stdin" : input;
  std::error_code not_there;
  return fs::is_regular_file(from, not_there) &&
         fs::equivalent(from, output == "-" ? "/dev/stdout" : output, not_there);
}

// All that can be known before the model is loaded and the output is opened, which empties it.
void check_files(const fs::path& input, const fs::path& output) {
  const auto of_input = format_of(input);
  if (!of_input || of_input == Format::kCsv) {
    throw Error(ErrorKind::kUsage, "questions cannot be in a file of this kind", input.string(),
                "give JSON lines (.jsonl) or .safetensors; - is standard input");
  }
  if (!format_of(output)) {
    throw Error(ErrorKind::kUsage, "answers cannot be in a file of this kind", output.string(),
                "give JSON lines (.jsonl), .csv or .safetensors; - is standard output");
  }
  if (is_same_file(input, output)) {
    throw Error(ErrorKind::kUsage, "the answers would overwrite the questions",
                output == "-" ? "standard output" : output.string(), "give another file for the output");
  }
}

std::unique_ptr<SampleReader> make_reader(const InferSettings& settings, const Signature& signature) {
  if (!settings.ask.empty()) return std::make_unique<OneSample>(sample_of_json(settings.ask, "--ask", signature));
  if (format_of(settings.input) == Format::kSafetensors)
    return std::make_unique<SafetensorsReader>(settings.input, signature);
  return std::make_unique<JsonLinesReader>(settings.input, signature);
}

std::unique_ptr<AnswerSink> make_sink(const fs::path& output, const Signature& row) {
  const auto kind = format_of(output);
  if (kind == Format::kSafetensors) return std::make_unique<SafetensorsSink>(output);
  if (kind == Format::kCsv) return std::make_unique<CsvSink>(output, row.outputs);
  return std::make_unique<JsonLinesSink>(output);
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
  if (!settings.ask.empty() && settings.input != "-") {
    throw Error(ErrorKind::kUsage, "a question is given, and a file of them", settings.input.string(),
                "give --ask or --input");
  }
  check_files(settings.input, settings.output);
  Inferer inferer(folder, {.target = settings.target,
                           .threads = settings.threads,
                           .tensorrt = settings.tensorrt.options(),
                           .batch_size = settings.batch_size,
                           .pipeline = settings.pipeline});
  const auto reader = make_reader(settings, inferer.signature());
  std::unique_ptr<AnswerSink> sink = make_sink(settings.output, inferer.row_signature());
  const bool is_filter = settings.input == "-" || settings.output == "-";
  if (!is_filter) sink = std::make_unique<ProgressSink>(std::move(sink), reader->size());
  const Inferer::Stats stats = inferer.run(*reader, *sink);
  log::info("{} by {} ({}) {} {}", stats.samples == 1 ? "1 answer" : format("{} answers", stats.samples), folder,
            inferer.backend().description(), stats.samples == 1 ? "is" : "are",
            settings.output == "-" ? "on standard output" : format("in {}", settings.output));
  return 0;
}

}  // namespace

int run_infer_command(const std::vector<std::string>& arguments, const std::string& program,
                      const std::string& description) {
  InferSettings settings;
  if (!load_settings(settings, arguments, {.program = program, .description = description})) return 0;
  const fs::path found = choose_export(settings.folder);
  if (settings.describe) {
    describe(found);
    return 0;
  }
  return predict(found, settings);
}

}  // namespace base
