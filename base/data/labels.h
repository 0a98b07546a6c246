// labels.h: what stands in a column of labels, as numbers.
#ifndef BASE_DATA_LABELS_H_
#define BASE_DATA_LABELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/data/csv.h"

namespace base {

enum class LabelKind {
  kNumber,  // the number of a class: int64
  kName,    // the name of a class, which gets a number: int64
  kValue,   // any number, to be predicted as it is: float
};

struct LabelOptions {
  std::string column = {};  // empty: there are no labels
  LabelKind kind = LabelKind::kNumber;
  std::int64_t classes = 0;             // with kNumber: labels go from 0 to classes - 1; 0: not checked
  std::vector<std::string> names = {};  // with kName: the classes 0, 1 and so on; empty: those found, sorted.
                                        // Training and validation need one and the same list.
};

struct Labels {
  torch::Tensor values;            // [rows]
  std::vector<std::string> names;  // of the classes, with kName
};

/// A label out of range, or of an unknown name, is a data Error with its line.
Labels read_labels(const CsvFile& file, const LabelOptions& options);

}  // namespace base

#endif  // BASE_DATA_LABELS_H_
