// prediction_file.h: a model's answers as a table.
#ifndef BASE_APP_PREDICTION_FILE_H_
#define BASE_APP_PREDICTION_FILE_H_

#include <cstdint>
#include <filesystem>

#include "base/data/data_loader.h"
#include "base/train/predictions.h"

namespace base {

/// Writes a CSV file with a row for each example of the data and returns how many there are. First come the example's
/// number and, where the data know it, where it is from; an output of one number for each example has a column of its
/// name, one of several `name_0`, `name_1`, ... The file is there when all of it is.
std::int64_t write_predictions(Predictions predictions, const DataLoader& data, const std::filesystem::path& path);

}  // namespace base

#endif  // BASE_APP_PREDICTION_FILE_H_
