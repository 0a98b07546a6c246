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

<% if task == "image-classification" %>
TEST(Model, LeavesPicturesOfItsCallerAsTheyAre) {
  const Model model{Settings{}};
  const torch::Tensor image = torch::ones_like(model.example_inputs()["image"], torch::kFloat);
  EXPECT_FALSE(model.preprocess({{"image", image}}).empty());
  EXPECT_TRUE(image.eq(1).all().item<bool>());
}

<% endif %>
}  // namespace
}  // namespace <@ namespace @>
