#include "base/torch.h"

#include "base/data/labels.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/suggest.h"

namespace base {
namespace {

torch::Tensor read_classes(const CsvFile& file, const LabelOptions& options) {
  torch::Tensor values = file.integers(options.column);
  if (options.classes == 0) return values;
  const auto* const label = values.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < file.rows(); ++row) {
    if (label[row] >= 0 && label[row] < options.classes) continue;
    throw Error(ErrorKind::kData, format("{}: the label is not from 0 to {}", file.where(row), options.classes - 1),
                std::to_string(label[row]), "correct the label, or the number of classes");
  }
  return values;
}

Labels read_names(const CsvFile& file, const LabelOptions& options) {
  const std::vector<std::string> found = file.column(options.column);
  Labels labels{torch::empty({file.rows()}, torch::kLong), options.names};
  if (labels.names.empty()) {
    labels.names = found;
    std::ranges::sort(labels.names);
    labels.names.erase(std::unique(labels.names.begin(), labels.names.end()), labels.names.end());
  }
  std::unordered_map<std::string_view, std::int64_t> numbers;
  for (const auto& name : labels.names) numbers.emplace(name, static_cast<std::int64_t>(numbers.size()));
  auto* const label = labels.values.data_ptr<std::int64_t>();
  for (std::size_t row = 0; row < found.size(); ++row) {
    const auto number = numbers.find(found[row]);
    if (number == numbers.end()) {
      const std::vector<std::string_view> known(labels.names.begin(), labels.names.end());
      const std::string_view nearest = nearest_word(found[row], known);
      throw Error(
          ErrorKind::kData,
          format("{}: the label is none of the {} classes", file.where(static_cast<std::int64_t>(row)), known.size()),
          found[row], nearest.empty() ? "correct the label, or add the class" : format("did you mean {}?", nearest));
    }
    label[row] = number->second;
  }
  return labels;
}

}  // namespace

Labels read_labels(const CsvFile& file, const LabelOptions& options) {
  switch (options.kind) {
    case LabelKind::kNumber:
      return {read_classes(file, options), {}};
    case LabelKind::kName:
      return read_names(file, options);
    case LabelKind::kValue:
      return {file.numbers({options.column}).squeeze(1), {}};
  }
  return {};
}

}  // namespace base
