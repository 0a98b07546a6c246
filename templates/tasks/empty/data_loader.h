// data_loader.h: what the data are. Fill in the TODOs from top to bottom.
#ifndef SRC_DATA_LOADER_H_
#define SRC_DATA_LOADER_H_

#include <base/data/data_loader.h>
#include <base/data/part.h>

#include "src/settings.h"

namespace <@ namespace @> {

class DataLoader final : public base::DataLoader {
 public:
  DataLoader(const Settings& /*settings*/, base::Part part) : part_(part) {
    // TODO(1/4): find the examples of this part.
  }

  std::int64_t size() const override {
    // TODO(2/4): how many there are.
    return part_ == base::Part::kTraining ? 2000 : 400;
  }

  base::Example parse(std::int64_t index) const override {
    // TODO(3/4): read one: the inputs of the model, and what its loss compares with.
    base::Random random(static_cast<std::uint64_t>(part_), 0, static_cast<std::uint64_t>(index));
    const torch::Tensor x = torch::tensor({random.uniform(-1, 1), random.uniform(-1, 1)}, torch::kFloat);
    return {{"x", x}, {"y", x.prod(0, /*keepdim=*/true)}};
  }

  base::Example augment(base::Example example, base::Random& /*random*/) const override {
    // TODO(4/4): change one at random, in training only.
    return example;
  }

 private:
  base::Part part_;
};

}  // namespace <@ namespace @>

#endif  // SRC_DATA_LOADER_H_
