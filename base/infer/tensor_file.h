// tensor_file.h: samples and answers in safetensors files, and answers in a table.
#ifndef BASE_INFER_TENSOR_FILE_H_
#define BASE_INFER_TENSOR_FILE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/artifact/signature.h"
#include "base/infer/sample.h"
#include "base/infer/text_output.h"
#include "base/records/safetensors.h"

namespace base {

/// A file with a tensor for each input of the model. Where there is a batch axis each row is a sample; otherwise the
/// file is one. Nothing is copied before it is run. What does not fit the model is a data Error that names all of it.
class SafetensorsReader final : public SampleReader {
 public:
  SafetensorsReader(const std::filesystem::path& path, const Signature& signature);

  std::optional<Sample> next() override;
  std::optional<std::int64_t> size() const override { return rows_; }

 private:
  SafetensorsFile file_;
  std::string name_;
  std::vector<const TensorView*> inputs_;
  bool has_batch_;
  std::int64_t rows_ = 1;
  std::int64_t row_ = 0;
};

/// All answers in one file, each output with the samples as its first axis. They are gathered in memory, and written by
/// finish() beside the file and renamed. If samples have ids, the file's metadata has "ids": a JSON list with one for
/// each row, null where there is none.
class SafetensorsSink final : public AnswerSink {
 public:
  explicit SafetensorsSink(std::filesystem::path path) : path_(std::move(path)) {}

  void take(const Sample& sample, std::span<const TensorView> outputs) override;
  void finish() override;

 private:
  struct Column {
    TensorView first;  // without its bytes
    std::vector<std::byte> bytes;
  };
  std::filesystem::path path_;
  std::vector<Column> columns_;
  std::int64_t rows_ = 0;
  std::string ids_;  // the list without its brackets
  bool has_ids_ = false;
};

/// A row for each sample: its id or else its name, then every number: "sample,scores_0,scores_1". Answers that change
/// their size are a data Error.
class CsvSink final : public AnswerSink {
 public:
  /// "-" is standard output. `outputs` are those of one sample: with them a table without rows has its first line too,
  /// if their sizes are fixed.
  explicit CsvSink(const std::filesystem::path& path, std::vector<TensorSpec> outputs = {})
      : output_(path), outputs_(std::move(outputs)) {}

  void take(const Sample& sample, std::span<const TensorView> outputs) override;
  void flush() override { output_.flush(); }
  void finish() override;

 private:
  TextOutput output_;
  std::vector<TensorSpec> outputs_;
  std::vector<std::size_t> sizes_;  // numbers in each output; empty: nothing was written yet
};

}  // namespace base

#endif  // BASE_INFER_TENSOR_FILE_H_
