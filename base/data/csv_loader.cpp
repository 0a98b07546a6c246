#include "base/torch.h"

#include "base/data/csv_loader.h"

#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

CsvLoader::Contents CsvLoader::read(const std::filesystem::path& path, const Options& options) {
  const CsvFile file(path, options.csv);
  Contents contents{.columns = {}, .path = path, .lines = {}, .features = options.features, .class_names = {}};
  if (contents.features.empty()) {
    for (const auto& name : file.names())
      if (name != options.label.column) contents.features.push_back(name);
  }
  if (contents.features.empty()) {
    throw Error(ErrorKind::kData, "the CSV file has no column but the label", path.string(),
                "give a file with columns to learn from");
  }
  contents.columns.set("features", file.numbers(contents.features));
  if (!options.label.column.empty()) {
    Labels labels = read_labels(file, options.label);
    contents.columns.set("label", labels.values);
    contents.class_names = std::move(labels.names);
  }
  contents.lines.reserve(static_cast<std::size_t>(file.rows()));
  for (std::int64_t row = 0; row < file.rows(); ++row) contents.lines.push_back(file.line(row));
  return contents;
}

CsvLoader::CsvLoader(const std::filesystem::path& path, const Options& options) : CsvLoader(read(path, options)) {}

CsvLoader::CsvLoader(Contents contents) : TensorLoader(contents.columns), contents_(std::move(contents)) {}

std::string CsvLoader::where(std::int64_t index) const {
  return format("{}:{}", contents_.path, contents_.lines[static_cast<std::size_t>(index)]);
}

}  // namespace base
