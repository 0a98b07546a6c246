// sample_data.h: small data to try a project with, until it has its own. Each function writes them to `folder` if there
// is nothing of that name yet, and says so in the log; whatever is there is left alone. They are the same every time.
// Of several processes that ask at once one writes, and the others wait for it.
#ifndef BASE_DATA_SAMPLE_DATA_H_
#define BASE_DATA_SAMPLE_DATA_H_

#include <filesystem>

namespace base {

/// <folder>/training, validation and test, with a folder of PNG files for each class in them: 32 x 32 pictures of
/// circles, crosses, squares and triangles, of any colour and place.
void write_sample_pictures(const std::filesystem::path& folder);

/// The same pictures, 28 x 28 and grey, as MNIST's files: train-images-idx3-ubyte, train-labels-idx1-ubyte, and
/// t10k-...
void write_sample_idx(const std::filesystem::path& folder);

/// <folder>/training.csv, validation.csv and test.csv: what a cyclist's ride costs. Columns distance, climb, wind,
/// weight and the label power, in watts, with some noise.
void write_sample_table(const std::filesystem::path& folder);

/// <folder>/training, validation and test, with a CSV file for each machine in them: its columns temperature and load
/// go up and down with the hours of the day, each machine's in its own way.
void write_sample_series(const std::filesystem::path& folder);

}  // namespace base

#endif  // BASE_DATA_SAMPLE_DATA_H_
