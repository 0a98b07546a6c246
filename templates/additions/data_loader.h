// <@ file_name @>.h: TODO(1/4): say in a sentence what the data are.
//
//     --data_loader <@ file_name @>
//
#ifndef SRC_<@ upper(file_name) @>_H_
#define SRC_<@ upper(file_name) @>_H_

#include <base/data/data_loader.h>
#include <base/data/part.h>

#include <string>
#include <utility>

#include "src/data_loader.h"
#include "src/settings.h"

namespace <@ namespace @> {

/// Starts with the examples of DataLoader.
class <@ class_name @> final : public base::DataLoader {
 public:
  // TODO(2/4): find the examples of this part.
  <@ class_name @>(const Settings& settings, base::Part part) : examples_(settings, part) {}

  // TODO(3/4): how many there are, and how one is read.
  std::int64_t size() const override { return examples_.size(); }
  base::Example parse(std::int64_t index) const override { return examples_.parse(index); }
  std::string where(std::int64_t index) const override { return examples_.where(index); }

  // TODO(4/4): change one at random, in training only.
  base::Example augment(base::Example example, base::Random& random) const override {
    return examples_.augment(std::move(example), random);
  }

 private:
  <@ namespace @>::DataLoader examples_;
};

}  // namespace <@ namespace @>

#endif  // SRC_<@ upper(file_name) @>_H_
