#include "base/torch.h"

#include "base/data/time_series.h"

#include <algorithm>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

void require_option(bool good, const char* what, std::int64_t value, const char* fix) {
  if (!good) throw Error(ErrorKind::kConfig, what, std::to_string(value), fix);
}

}  // namespace

TimeSeriesLoader::TimeSeriesLoader(const std::vector<std::filesystem::path>& files, const Options& options)
    : length_(options.length), stride_(options.stride), horizon_(options.horizon) {
  require_option(length_ > 0, "a window has at least one row", length_, "give its length");
  require_option(stride_ > 0, "windows begin at least one row apart", stride_, "give a stride of 1 or more");
  require_option(horizon_ >= 0, "a horizon lies ahead", horizon_, "give 0 for no target, or how many rows it has");
  if (files.empty()) throw Error(ErrorKind::kData, "there are no files of time series", "", "give at least one");

  std::vector<std::string> columns = options.columns;
  std::vector<std::filesystem::path> short_files;
  for (const auto& path : files) {
    const CsvFile file(path, options.csv);
    if (columns.empty()) columns = file.names();
    const std::int64_t spare = file.rows() - length_ - horizon_;
    if (spare < 0) {
      short_files.push_back(path);
      continue;
    }
    // Time last, in one piece: a window of a channel is then a row of floats.
    Series series{
        .path = path, .channels = file.numbers(columns).t().contiguous(), .targets = {}, .lines = {}, .first = size_};
    if (horizon_ > 0) {
      series.targets = options.targets.empty() || options.targets == columns
                           ? series.channels
                           : file.numbers(options.targets).t().contiguous();
    }
    for (std::int64_t row = 0; row < file.rows(); ++row) series.lines.push_back(file.line(row));
    series_.push_back(std::move(series));
    size_ += spare / stride_ + 1;
  }
  if (series_.empty()) {
    throw Error(ErrorKind::kData, format("no file is as long as a window, {} rows", length_ + horizon_),
                files.front().string(), "take shorter windows, or longer files");
  }
  if (!short_files.empty()) {
    log::warn("{} of {} files are shorter than a window of {} rows and are left out: {}{}", short_files.size(),
              files.size(), length_ + horizon_, short_files.front(), short_files.size() > 1 ? ", ..." : "");
  }
}

TimeSeriesLoader::Window TimeSeriesLoader::window(std::int64_t index) const {
  const auto behind = std::ranges::upper_bound(series_, index, {}, &Series::first);
  const Series& series = *(behind - 1);
  return {series, (index - series.first) * stride_};
}

Example TimeSeriesLoader::parse(std::int64_t index) const {
  const auto [series, row] = window(index);
  Example example{{"series", series.channels.narrow(1, row, length_)}};
  if (horizon_ > 0) example.set("target", series.targets.narrow(1, row + length_, horizon_));
  return example;
}

std::string TimeSeriesLoader::where(std::int64_t index) const {
  const auto [series, row] = window(index);
  return format("{}:{}", series.path, series.lines[static_cast<std::size_t>(row)]);
}

}  // namespace base
