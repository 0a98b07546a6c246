#include "base/log/suggest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace base {
namespace {

constexpr std::array<std::string_view, 4> kCommands{"doctor", "new-project", "update", "check"};

TEST(NearestWord, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_word("docter", kCommands), "doctor");
  EXPECT_EQ(nearest_word("dcotor", kCommands), "doctor");
  EXPECT_EQ(nearest_word("doctorr", kCommands), "doctor");
  EXPECT_EQ(nearest_word("newproject", kCommands), "new-project");
  EXPECT_EQ(nearest_word("upate", kCommands), "update");
}

TEST(NearestWord, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_word("train", kCommands), "");
  EXPECT_EQ(nearest_word("", kCommands), "");
  EXPECT_EQ(nearest_word("x", kCommands), "");
  EXPECT_EQ(nearest_word("doctor", {}), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'd'), kCommands), "");
}

TEST(NearestWord, TakesTheFirstOfTwoThatAreAsNear) {
  constexpr std::array<std::string_view, 2> words{"bat", "cat"};
  EXPECT_EQ(nearest_word("aat", words), "bat");
}

}  // namespace
}  // namespace base
