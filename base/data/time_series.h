// time_series.h: columns of numbers over time, cut into windows.
#ifndef BASE_DATA_TIME_SERIES_H_
#define BASE_DATA_TIME_SERIES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/data/csv.h"
#include "base/data/data_loader.h"

namespace base {

struct TimeSeriesOptions {
  std::vector<std::string> columns = {};  // the channels, in this order; empty: all columns of the first file
  std::int64_t length = 0;                // rows in a window
  std::int64_t stride = 1;                // rows from one window's beginning to the next one's
  std::int64_t horizon = 0;               // rows after a window that are its "target"; 0: there is none
  std::vector<std::string> targets = {};  // columns of the target; empty: those of the window
  CsvOptions csv = {};
};

/// Each file is a series of its own, a row for each moment; no window spans two files. An example is
/// {"series" float [channels, length]} and, with a horizon, {"target" float [targets, horizon]}.
///
///     const TimeSeriesLoader loader({"monday.csv", "tuesday.csv"}, {.columns = {"load"}, .length = 96, .horizon =
///     12});
///
class TimeSeriesLoader final : public DataLoader {
 public:
  using Options = TimeSeriesOptions;

  /// Files too short for a single window are left out, with a warning. If all are, it is a data Error.
  TimeSeriesLoader(const std::vector<std::filesystem::path>& files, const Options& options);

  std::int64_t size() const override { return size_; }
  Example parse(std::int64_t index) const override;
  /// "monday.csv:17", the window's first line
  std::string where(std::int64_t index) const override;

 private:
  struct Series {
    std::filesystem::path path;
    torch::Tensor channels;           // [channels, rows]
    torch::Tensor targets;            // [targets, rows]; the same tensor if the columns are the same
    std::vector<std::int64_t> lines;  // of the rows
    std::int64_t first = 0;           // number of its first window among those of all files
  };
  struct Window {
    const Series& series;
    std::int64_t row;
  };
  Window window(std::int64_t index) const;

  std::int64_t length_;
  std::int64_t stride_;
  std::int64_t horizon_;
  std::vector<Series> series_;
  std::int64_t size_ = 0;
};

}  // namespace base

#endif  // BASE_DATA_TIME_SERIES_H_
