// data_loader.h: what the data are. Fill in the TODOs from top to bottom.
#ifndef SRC_DATA_LOADER_H_
#define SRC_DATA_LOADER_H_

#include <base/data/data_file.h>
#include <base/data/data_loader.h>
#include <base/data/part.h>
#include <base/data/sample_data.h>
#include <base/data/time_series.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/settings.h"

namespace <@ namespace @> {

inline base::TimeSeriesLoader read_windows(const Settings& settings, base::Part part) {
  // TODO(1/4): find the files of this part; as long as the default folder is missing, small ones are made up.
  if (settings.folder == Settings{}.folder) base::write_sample_series(settings.folder);
  return {base::files_in(settings.folder / base::part_name(part), ".csv"),
          {.columns = {"temperature", "load"}, .length = settings.length, .stride = settings.length / 4}};
}

class DataLoader final : public base::DataLoader {
 public:
  DataLoader(const Settings& settings, base::Part part) : windows_(read_windows(settings, part)) {}

  std::int64_t size() const override {
    // TODO(2/4): how many there are.
    return windows_.size();
  }

  base::Example parse(std::int64_t index) const override {
    // TODO(3/4): read one: the inputs of the model, and what its loss compares with.
    return windows_.parse(index);
  }

  base::Example augment(base::Example example, base::Random& <% if with_example %>random<% else %>/*random*/<% endif %>) const override {
    // TODO(4/4): change one at random, in training only.
<% if with_example %>
    example["series"] = example["series"] * random.uniform(0.98, 1.02);
<% endif %>
    return example;
  }

  std::string where(std::int64_t index) const override { return windows_.where(index); }

 private:
  base::TimeSeriesLoader windows_;
};

}  // namespace <@ namespace @>

#endif  // SRC_DATA_LOADER_H_
