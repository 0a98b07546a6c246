// json_lines.h: samples and answers as JSON, one object a line, from a file or a pipe:
//
//     {"image": [[0.1, ...], ...]}                 a value for each input of the model
//     {"id": 17, "feeds": [{"image": ...}, ...]}   several feeds for one answer; an "id" goes back with the answer
//     {"id": 17, "scores": [0.25, ...]}            an answer
//
// JSON has no nan and no infinities. As in protobuf's JSON they are "NaN", "Infinity" and "-Infinity"; null is nan too,
// and is how answers have it.
#ifndef BASE_INFER_JSON_LINES_H_
#define BASE_INFER_JSON_LINES_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/artifact/signature.h"
#include "base/infer/line_reader.h"
#include "base/infer/sample.h"
#include "base/infer/text_output.h"

namespace base {

/// What a line asks: an object with a value for each input, whose types the signature says. Anything else is a data
/// Error that calls it `name`.
Sample sample_of_json(std::string_view text, const std::string& name, const Signature& signature);

/// Empty lines are passed over. A line that is no such object is a data Error with the number of the line.
class JsonLinesReader final : public SampleReader {
 public:
  /// "-" is standard input. The signature says which types the numbers get.
  JsonLinesReader(const std::filesystem::path& path, Signature signature);

  std::optional<Sample> next() override;
  bool is_ready() override { return lines_.is_ready(); }
  void cancel() override { lines_.cancel(); }

 private:
  LineReader lines_;
  Signature signature_;
};

class JsonLinesSink final : public AnswerSink {
 public:
  /// "-" is standard output.
  explicit JsonLinesSink(const std::filesystem::path& path) : output_(path) {}

  void take(const Sample& sample, std::span<const TensorView> outputs) override;
  void flush() override { output_.flush(); }
  void finish() override { output_.close(); }

 private:
  TextOutput output_;
  std::string line_;
};

}  // namespace base

#endif  // BASE_INFER_JSON_LINES_H_
