// csv_loader.h: examples that are rows of numbers in a CSV file.
#ifndef BASE_DATA_CSV_LOADER_H_
#define BASE_DATA_CSV_LOADER_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/data/csv.h"
#include "base/data/labels.h"
#include "base/data/tensor_loader.h"

namespace base {

struct CsvLoaderOptions {
  std::vector<std::string> features = {};  // columns, in this order; empty: all but the label
  LabelOptions label = {};
  CsvOptions csv = {};
};

/// An example is {"features" float [columns]} and, if asked for, "label". Read once, into memory.
///
///     const CsvLoader loader("iris.csv", {.label = {.column = "species", .kind = LabelKind::kName}});
///
class CsvLoader final : public TensorLoader {
 public:
  using Options = CsvLoaderOptions;

  explicit CsvLoader(const std::filesystem::path& path, const Options& options = {});

  std::string where(std::int64_t index) const override;
  /// The columns of "features".
  const std::vector<std::string>& features() const { return contents_.features; }
  /// The classes 0, 1 and so on, if labels are names.
  const std::vector<std::string>& class_names() const { return contents_.class_names; }

 private:
  struct Contents {
    Tensors columns;
    std::filesystem::path path;
    std::vector<std::int64_t> lines;
    std::vector<std::string> features;
    std::vector<std::string> class_names;
  };
  explicit CsvLoader(Contents contents);
  static Contents read(const std::filesystem::path& path, const Options& options);

  Contents contents_;
};

}  // namespace base

#endif  // BASE_DATA_CSV_LOADER_H_
