#include "base/torch.h"

#include "base/app/prediction_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/small_run.h"

namespace base::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Knows where its examples are from.
class Listed final : public DataLoader {
 public:
  std::int64_t size() const override { return 3; }
  Example parse(std::int64_t /*index*/) const override { return {{"x", torch::ones({3})}}; }
  std::string where(std::int64_t index) const override { return index == 1 ? "a \"cat\", asleep.png" : "cat.png"; }
};

TEST(PredictionFile, SaysWhereAnExampleIsFrom) {
  const TemporaryFolder folder;
  SmallTrainer trainer({});
  const Listed data;
  EXPECT_EQ(write_predictions(trainer.predict(data), data, folder / "answers.csv"), 3);
  const std::string table = contents_of(folder / "answers.csv");
  EXPECT_THAT(table, StartsWith("example,where,answer\n0,cat.png,"));
  EXPECT_THAT(table, HasSubstr("\n1,\"a \"\"cat\"\", asleep.png\","));
}

TEST(PredictionFile, HasNoColumnForWhatNobodyKnows) {
  const TemporaryFolder folder;
  SmallTrainer trainer({});
  const auto data = small_data(4);
  EXPECT_EQ(write_predictions(trainer.predict(*data), *data, folder / "answers.csv"), 4);
  EXPECT_THAT(contents_of(folder / "answers.csv"), StartsWith("example,answer\n0,"));
}

}  // namespace
}  // namespace base::testing
