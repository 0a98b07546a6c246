// data_loader.h: what the data are. Fill in the TODOs from top to bottom.
#ifndef SRC_DATA_LOADER_H_
#define SRC_DATA_LOADER_H_

#include <base/data/csv_loader.h>
#include <base/data/data_loader.h>
#include <base/data/part.h>
#include <base/data/sample_data.h>

#include <filesystem>
#include <string>

#include "src/settings.h"

namespace <@ namespace @> {

inline base::CsvLoader read_table(const Settings& settings, base::Part part) {
  // TODO(1/4): find the examples of this part; as long as the default folder is missing, small ones are made up.
  if (settings.folder == Settings{}.folder) base::write_sample_table(settings.folder);
  const auto file = settings.folder / (std::string(base::part_name(part)) + ".csv");
  return base::CsvLoader(file, {.features = {"distance", "climb", "wind", "weight"},
                                .label = {.column = "power", .kind = base::LabelKind::kValue}});
}

class DataLoader final : public base::DataLoader {
 public:
  DataLoader(const Settings& settings, base::Part part) : table_(read_table(settings, part)) {}

  std::int64_t size() const override {
    // TODO(2/4): how many there are.
    return table_.size();
  }

  base::Example parse(std::int64_t index) const override {
    // TODO(3/4): read one: the inputs of the model, and what its loss compares with.
    return table_.parse(index);
  }

  base::Example augment(base::Example example, base::Random& <% if with_example %>random<% else %>/*random*/<% endif %>) const override {
    // TODO(4/4): change one at random, in training only.
<% if with_example %>
    example["features"] = example["features"] * random.uniform(0.99, 1.01);
<% endif %>
    return example;
  }

  std::string where(std::int64_t index) const override { return table_.where(index); }

 private:
  base::CsvLoader table_;
};

}  // namespace <@ namespace @>

#endif  // SRC_DATA_LOADER_H_
