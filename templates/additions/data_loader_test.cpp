#include <base/torch.h>  // first, since it is precompiled

#include "src/<@ file_name @>.h"

#include <gtest/gtest.h>

#include <array>

#include "src/model.h"

namespace <@ namespace @> {
namespace {

TEST(<@ class_name @>, GivesTheModelItsInputs) {
  const Settings settings;
  const <@ class_name @> loader(settings, base::Part::kTraining);
  ASSERT_GT(loader.size(), 1);
  const std::array<std::int64_t, 2> indices{0, 1};
  const base::Batch batch = loader.make_batch(indices, {.augment = true});
  Model model{settings};
  EXPECT_FALSE(model.run(batch.tensors).empty());
}

}  // namespace
}  // namespace <@ namespace @>
