#include "base/torch.h"

#include "base/app/prediction_file.h"

#include <string>
#include <system_error>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/output_file.h"

namespace base {
namespace {

/// One row for each example, whatever dimensions it has.
torch::Tensor as_table(const torch::Tensor& output) {
  return output.dim() == 1 ? output.unsqueeze(1) : output.flatten(1);
}

/// As RFC 4180 quotes it.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char letter : field) text.append(letter == '"' ? 2 : 1, letter);
  return text + '"';
}

std::string header_of(const Tensors& outputs, bool has_places) {
  std::string header = has_places ? "example,where" : "example";
  for (const auto& [name, output] : outputs) {
    const std::int64_t columns = as_table(output).size(1);
    for (std::int64_t i = 0; i < columns; ++i) header += columns == 1 ? "," + name : format(",{}_{}", name, i);
  }
  return header + "\n";
}

/// A column of integers is written as such, one of anything else with as many digits as tell two floats apart.
std::string rows_of(const Prediction& prediction, const DataLoader& data, bool has_places) {
  const auto& indices = prediction.batch.indices;
  std::vector<std::string> rows;
  rows.reserve(indices.size());
  for (const std::int64_t index : indices)
    rows.push_back(has_places ? format("{},{}", index, quoted(data.where(index))) : std::to_string(index));
  for (const auto& [name, output] : prediction.outputs) {
    const bool whole = !output.is_floating_point();
    const torch::Tensor table = as_table(output).to(whole ? torch::kLong : torch::kDouble).contiguous();
    const std::int64_t columns = table.size(1);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t place = static_cast<std::int64_t>(row) * columns + column;
        rows[row] += whole ? format(",{}", table.const_data_ptr<std::int64_t>()[place])
                           : format(",{:.9g}", table.const_data_ptr<double>()[place]);
      }
    }
  }
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

}  // namespace

std::int64_t write_predictions(Predictions predictions, const DataLoader& data, const std::filesystem::path& path) {
  const std::filesystem::path partial = path.string() + ".partial";
  OutputFile file(partial);
  std::int64_t examples = 0;
  bool has_places = false;
  try {
    for (const Prediction& prediction : predictions) {
      if (examples == 0) {
        has_places = !data.where(prediction.batch.indices.front()).empty();
        file.append(bytes_of(header_of(prediction.outputs, has_places)));
      }
      file.append(bytes_of(rows_of(prediction, data, has_places)));
      examples += static_cast<std::int64_t>(prediction.batch.indices.size());
    }
    file.sync();
    file.close();
    std::error_code problem;
    std::filesystem::rename(partial, path, problem);
    if (problem) {
      throw Error(ErrorKind::kData, "the predictions cannot be written", format("{} ({})", path, problem.message()),
                  "give --output FILE in a folder that exists and may be written");
    }
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw;
  }
  return examples;
}

}  // namespace base
