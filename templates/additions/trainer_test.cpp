#include <base/torch.h>  // first, since it is precompiled

#include "src/<@ file_name @>.h"

#include <gtest/gtest.h>

#include "src/data_loader.h"
#include "src/model.h"

namespace <@ namespace @> {
namespace {

TEST(<@ class_name @>, TakesAStep) {
  Settings settings;
  settings.train.device = "cpu";
  const auto model = std::make_shared<Model>(settings);
  const auto data = std::make_shared<DataLoader>(settings, base::Part::kTraining);
  <@ class_name @> trainer(settings.train, model, data);
  trainer.train(1);
  EXPECT_EQ(trainer.state().step, 1);
}

}  // namespace
}  // namespace <@ namespace @>
