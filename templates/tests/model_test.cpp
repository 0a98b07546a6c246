#include <base/torch.h>  // first, since it is precompiled

#include "src/model.h"

#include <gtest/gtest.h>

namespace <@ namespace @> {
namespace {

TEST(Model, AnswersItsExampleInputs) {
  Model model{Settings{}};
  model.set_mode(base::Model::Mode::kInfer);
  const base::Tensors inputs = model.example_inputs();
  const base::Tensors answer = model.run(inputs);
  ASSERT_FALSE(answer.empty());
  for (const auto& [name, output] : answer)
    EXPECT_EQ(output.size(0), inputs.begin()->second.size(0)) << name << " needs a row for each example";
}

TEST(Model, HasParametersToTrain) {
  EXPECT_FALSE(Model{Settings{}}.parameters().empty());
}

}  // namespace
}  // namespace <@ namespace @>
