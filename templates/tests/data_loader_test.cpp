#include <base/torch.h>  // first, since it is precompiled

#include "src/data_loader.h"

#include <gtest/gtest.h>

#include <array>

#include "src/model.h"

namespace <@ namespace @> {
namespace {

TEST(DataLoader, GivesTheModelItsInputs) {
  const Settings settings;
  const DataLoader loader(settings, base::Part::kTraining);
  ASSERT_GT(loader.size(), 1);
  const std::array<std::int64_t, 2> indices{0, 1};
  const base::Batch batch = loader.make_batch(indices, {.augment = true});
  Model model{settings};
  const base::Tensors outputs = model.run(batch.tensors);
  EXPECT_TRUE(model.loss(outputs, batch.tensors).isfinite().item<bool>());
}

<% if data == "idx" %>
TEST(DataLoader, TestsWithOtherPicturesThanItValidatesWith) {
  const DataLoader training(Settings{}, base::Part::kTraining);
  const DataLoader validation(Settings{}, base::Part::kValidation);
  const DataLoader test(Settings{}, base::Part::kTest);
  for (const DataLoader* other : {&training, &test})
    EXPECT_FALSE(torch::equal(validation.parse(0)["image"], other->parse(0)["image"]));
  EXPECT_GT(training.size(), validation.size());
}

<% endif %>
}  // namespace
}  // namespace <@ namespace @>
