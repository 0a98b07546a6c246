#include "base/infer/tensor_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

constexpr SpecialNumbers kSpecial{.nan = "nan", .infinity = "inf", .minus_infinity = "-inf"};
constexpr std::size_t kMostIds = std::size_t{32} << 20;  // readers take a header of 100 MB, and JSON in JSON grows

// As RFC 4180 has it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The id, a text without its quotes; or else the name.
std::string label_of(const Sample& sample) {
  if (!sample.id.starts_with('"')) return sample.id.empty() ? sample.name : sample.id;
  const auto id = nlohmann::json::parse(sample.id, nullptr, /*allow_exceptions=*/false);
  return id.is_string() ? id.get<std::string>() : sample.id;
}

// ",scores_0,scores_1", or ",score" for a scalar.
std::string column_names(const std::string& name, bool is_scalar, std::size_t size) {
  if (is_scalar) return "," + csv_field(name);
  std::string names;
  for (std::size_t i = 0; i < size; ++i) names.append(",").append(csv_field(format("{}_{}", name, i)));
  return names;
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::filesystem::path& path, const Signature& signature)
    : file_(path), name_(path.string()), has_batch_(has_batch_axis(signature)) {
  try {
    inputs_ = match_inputs(signature, file_.tensors());
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, error.problem(), "", error.fix()).with_place(name_);
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

void SafetensorsSink::take(const Sample& sample, std::span<const TensorView> outputs) {
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
  if (rows_ > 0) ids_ += ", ";
  ids_ += sample.id.empty() ? "null" : sample.id;
  has_ids_ = has_ids_ || !sample.id.empty();
  ++rows_;
}

void SafetensorsSink::finish() {
  SafetensorsWriteOptions options;
  if (has_ids_ && ids_.size() <= kMostIds) options.metadata["ids"] = "[" + ids_ + "]";
  if (has_ids_ && ids_.size() > kMostIds) log::warn("{} has no ids: they are too many for its header", path_);
  std::vector<TensorView> views;
  for (const Column& column : columns_) {
    views.push_back(column.first);
    views.back().shape.insert(views.back().shape.begin(), rows_);
    views.back().bytes = column.bytes;
  }
  const std::filesystem::path partial = path_.string() + ".partial";
  write_safetensors(partial, views, options);
  std::error_code error;
  std::filesystem::rename(partial, path_, error);
  if (error) {
    throw Error(ErrorKind::kData, "the answers cannot be written", format("{} ({})", path_, error.message()),
                "check who may write there");
  }
}

void CsvSink::take(const Sample& sample, std::span<const TensorView> outputs) {
  if (sizes_.empty()) {
    std::string header = "sample";
    for (const TensorView& output : outputs) {
      sizes_.push_back(output.bytes.size() / size_of(output.dtype));
      header += column_names(output.name, output.shape.empty(), sizes_.back());
    }
    output_.write(header + "\n");
  }
  std::string text = csv_field(label_of(sample));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::size_t size = outputs[i].bytes.size() / size_of(outputs[i].dtype);
    if (size != sizes_[i]) {
      throw Error(ErrorKind::kData, "answers of different sizes do not fit one table", outputs[i].name,
                  "write JSON lines instead");
    }
    for (std::size_t at = 0; at < size; ++at) append_number(text += ',', outputs[i], at, kSpecial);
  }
  output_.write(text + "\n");
}

void CsvSink::finish() {
  const auto is_fixed = [](const TensorSpec& spec) { return std::ranges::none_of(spec.axes, &Axis::is_dynamic); };
  if (sizes_.empty() && !outputs_.empty() && std::ranges::all_of(outputs_, is_fixed)) {
    std::string header = "sample";
    for (const TensorSpec& spec : outputs_) {
      std::size_t size = 1;
      for (const Axis& axis : spec.axes) size *= static_cast<std::size_t>(axis.size);
      header += column_names(spec.name, spec.axes.empty(), size);
    }
    output_.write(header + "\n");
  }
  output_.close();
}

}  // namespace base
