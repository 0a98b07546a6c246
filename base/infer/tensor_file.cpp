#include "base/infer/tensor_file.h"

#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

// As RFC 4180 has it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::filesystem::path& path, const Signature& signature)
    : file_(path), name_(path.string()), has_batch_(has_batch_axis(signature)) {
  try {
    inputs_ = match_inputs(signature, file_.tensors());
  } catch (const Error& error) {
    throw error.with_place(name_);
  }
  if (has_batch_) rows_ = inputs_.empty() ? 0 : inputs_.front()->shape.front();
}

std::optional<Sample> SafetensorsReader::next() {
  if (row_ == rows_) return std::nullopt;
  Sample sample{.name = has_batch_ ? format("{} row {}", name_, row_) : name_, .feeds = {{}}};
  for (const TensorView* input : inputs_) {
    TensorView view = *input;
    if (has_batch_) {
      const std::size_t size = view.bytes.size() / static_cast<std::size_t>(rows_);
      view.bytes = view.bytes.subspan(static_cast<std::size_t>(row_) * size, size);
      view.shape.erase(view.shape.begin());
    }
    sample.feeds[0].push_back({std::move(view)});
  }
  ++row_;
  return sample;
}

void SafetensorsSink::take(const Sample& /*sample*/, std::span<const TensorView> outputs) {
  if (columns_.empty()) {
    for (const TensorView& output : outputs) {
      columns_.push_back({output, {}});
      columns_.back().first.bytes = {};
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Column& column = columns_[i];
    if (outputs[i].shape != column.first.shape) {
      throw Error(ErrorKind::kData, "answers of different shapes do not fit one tensor", outputs[i].name,
                  "write JSON lines instead");
    }
    column.bytes.insert(column.bytes.end(), outputs[i].bytes.begin(), outputs[i].bytes.end());
  }
  ++rows_;
}

void SafetensorsSink::finish() {
  std::vector<TensorView> views;
  for (const Column& column : columns_) {
    views.push_back(column.first);
    views.back().shape.insert(views.back().shape.begin(), rows_);
    views.back().bytes = column.bytes;
  }
  const std::filesystem::path partial = path_.string() + ".partial";
  write_safetensors(partial, views);
  std::error_code error;
  std::filesystem::rename(partial, path_, error);
  if (error) {
    throw Error(ErrorKind::kData, "the answers cannot be written", format("{} ({})", path_, error.message()),
                "check who may write there");
  }
}

void CsvSink::take(const Sample& sample, std::span<const TensorView> outputs) {
  std::string text;
  const bool is_first = sizes_.empty();
  for (const TensorView& output : outputs) {
    const std::size_t size = output.bytes.size() / size_of(output.dtype);
    if (!is_first) continue;
    sizes_.push_back(size);
    for (std::size_t i = 0; i < size; ++i)
      text.append(",").append(csv_field(output.shape.empty() ? output.name : format("{}_{}", output.name, i)));
  }
  if (is_first) output_.write("sample" + text + "\n");
  text = csv_field(sample.id.empty() ? sample.name : sample.id);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::size_t size = outputs[i].bytes.size() / size_of(outputs[i].dtype);
    if (size != sizes_[i]) {
      throw Error(ErrorKind::kData, "answers of different sizes do not fit one table", outputs[i].name,
                  "write JSON lines instead");
    }
    for (std::size_t at = 0; at < size; ++at) append_number(text += ',', outputs[i], at, "nan", "inf");
  }
  output_.write(text + "\n");
}

}  // namespace base
