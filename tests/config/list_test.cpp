// Knobs that hold lists: the forms of a list on the command line and in a file, and the rules of its elements.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/config/support.h"

namespace {

using config_test::One;
using Strings = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

template <typename T>
std::vector<T> from_flag(const std::string& text) {
  return config_test::loaded<One<std::vector<T>>>({"--value", text}).value;
}

template <typename T>
std::vector<T> from_file(const std::string& toml) {
  return config_test::loaded_file<One<std::vector<T>>>("value = " + toml).value;
}

template <typename T>
std::string flag_error(const std::string& text, base::Rule<T> rule = {}) {
  return config_test::refusal(One<std::vector<T>>{{}, rule}, {"--value=" + text});
}

template <typename T>
std::string file_error(const std::string& toml, base::Rule<T> rule = {}) {
  return config_test::file_refusal("value = " + toml, One<std::vector<T>>{{}, rule});
}

TEST(ListKnob, TakesCommasOnTheCommandLine) {
  EXPECT_EQ(from_flag<std::int64_t>("64,32"), (Integers{64, 32}));
  EXPECT_EQ(from_flag<std::int64_t>("64"), (Integers{64}));
  EXPECT_EQ(from_flag<std::int64_t>(" 64 , -32 "), (Integers{64, -32}));
  EXPECT_EQ(from_flag<std::int64_t>("-1,2"), (Integers{-1, 2}));
  EXPECT_EQ(from_flag<std::string>("a,b c,d"), (Strings{"a", "b c", "d"}));
  EXPECT_EQ(from_flag<std::string>("a,,b,"), (Strings{"a", "", "b", ""}));
  EXPECT_EQ(from_flag<double>("0.5,2"), (std::vector<double>{0.5, 2.0}));
}

TEST(ListKnob, TakesATomlListOnTheCommandLine) {
  EXPECT_EQ(from_flag<std::int64_t>("[64,32]"), (Integers{64, 32}));
  EXPECT_EQ(from_flag<std::int64_t>("[ 64, 32, ]"), (Integers{64, 32}));
  EXPECT_EQ(from_flag<std::int64_t>("[]"), Integers{});
  EXPECT_EQ(from_flag<std::string>(R"(["a,b", 'c', ""])"), (Strings{"a,b", "c", ""}));
  EXPECT_EQ(from_flag<std::string>(R"([" a "])"), (Strings{" a "}));
  EXPECT_EQ(from_flag<float>("[0.5, 2]"), (std::vector<float>{0.5f, 2.0f}));
}

TEST(ListKnob, TakesATomlListFromAFile) {
  EXPECT_EQ(from_file<int>("[64, 32]"), (std::vector<int>{64, 32}));
  EXPECT_EQ(from_file<int>("[\n  64, # wide\n  32,\n]"), (std::vector<int>{64, 32}));
  EXPECT_EQ(from_file<int>("[]"), std::vector<int>{});
  EXPECT_EQ(from_file<std::uint64_t>("[1]"), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(from_file<double>("[1, 2.5]"), (std::vector<double>{1.0, 2.5}));
  EXPECT_EQ(from_file<std::string>("['a', \"b\"]"), (Strings{"a", "b"}));
  EXPECT_EQ(from_file<std::filesystem::path>("['a/b']"), (std::vector<std::filesystem::path>{"a/b"}));
  EXPECT_EQ(from_file<std::chrono::milliseconds>("['1s', '2ms']"),
            (std::vector<std::chrono::milliseconds>{std::chrono::seconds(1), std::chrono::milliseconds(2)}));
}

TEST(ListKnob, TakesALongList) {
  std::string toml = "[";
  for (int i = 0; i < 100'000; ++i) toml += std::to_string(i) + ",\n";
  const std::vector<int> list = from_file<int>(toml + "]");
  ASSERT_EQ(list.size(), 100'000u);
  EXPECT_EQ(list.back(), 99'999);
}

TEST(ListKnob, IsReplacedWholeByALaterSource) {
  EXPECT_EQ(config_test::loaded<config_test::Sample>({"--layers", "1,2,3", "--layers", "4"}).layers, (Integers{4}));
}

TEST(ListKnob, RefusesWhatIsNoList) {
  EXPECT_EQ(flag_error<std::int64_t>(""),
            "exit 3, usage error: value expects a list of integers, found the text \"\" (--value)\n"
            "  fix: give a list such as 1,2 or [1, 2]");
  EXPECT_EQ(flag_error<std::int64_t>("[1, 2"),
            "exit 3, usage error: value expects a list of integers, found the text \"[1, 2\" (--value)\n"
            "  fix: give a list such as 1,2 or [1, 2]");
  EXPECT_EQ(flag_error<std::int64_t>("[1]\nother = 2"),
            "exit 3, usage error: value expects a list of integers, found the text \"[1]\\nother = 2\" (--value)\n"
            "  fix: give a list such as 1,2 or [1, 2]");
  EXPECT_EQ(flag_error<std::string>("[a, b]"),
            "exit 3, usage error: value expects a list of texts, found the text \"[a, b]\" (--value)\n"
            "  fix: give a list such as a,b or [\"a\", \"b\"]");
  EXPECT_EQ(flag_error<double>("[0.5"),
            "exit 3, usage error: value expects a list of numbers, found the text \"[0.5\" (--value)\n"
            "  fix: give a list such as 0.5,2 or [0.5, 2]");
  EXPECT_EQ(flag_error<std::filesystem::path>("[x"),
            "exit 3, usage error: value expects a list of paths, found the text \"[x\" (--value)\n"
            "  fix: give a list such as a,b or [\"a\", \"b\"]");
  EXPECT_EQ(flag_error<std::chrono::milliseconds>("[30s]"),
            "exit 3, usage error: value expects a list of durations, found the text \"[30s]\" (--value)\n"
            "  fix: give a list such as 30s,1h30m or [\"30s\", \"1h30m\"]");
  EXPECT_EQ(file_error<int>("64"),
            "exit 4, config error: value expects a list of integers, found the integer 64 (train.toml:1)\n"
            "  fix: give a list such as [1, 2]");
  EXPECT_EQ(file_error<std::string>("\"a,b\""),
            "exit 4, config error: value expects a list of texts, found the text \"a,b\" (train.toml:1)\n"
            "  fix: give a list such as [\"a\", \"b\"]");
}

TEST(ListKnob, NamesTheElementThatIsWrong) {
  EXPECT_EQ(flag_error<std::int64_t>("1,x,3"),
            "exit 3, usage error: value[1] expects an integer, found the text \"x\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<std::int64_t>("1,,3"),
            "exit 3, usage error: value[1] expects an integer, found the text \"\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<std::int64_t>("[1, [2]]"),
            "exit 3, usage error: value[1] expects an integer, found a list (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("3000000000"),
            "exit 3, usage error: value[0] is out of range: 3000000000 (--value)\n"
            "  fix: give an integer from -2147483648 to 2147483647");
  EXPECT_EQ(file_error<std::string>("['a', 3]"),
            "exit 4, config error: value[1] expects a text, found the integer 3 (train.toml:1)\n"
            "  fix: give a text in quotes");
  EXPECT_EQ(file_error<int>("[{a = 1}]"),
            "exit 4, config error: value[0] expects an integer, found a table (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<double>("[0.5, nan]"),
            "exit 4, config error: value[1] expects a number, found nan (train.toml:1)\n  fix: give a number");
}

TEST(ListKnob, HoldsItsRuleForEachElement) {
  EXPECT_EQ(flag_error<int>("5,0", {.min = 1}),
            "exit 3, usage error: value[1] is out of range: 0 (--value)\n  fix: give an integer of at least 1");
  EXPECT_EQ(file_error<std::string>("['a', 'c']", {.choices = {"a", "b"}}),
            "exit 4, config error: value[1] is none of its choices: \"c\" (train.toml:1)\n  fix: give \"a\" or \"b\"");
  EXPECT_EQ(flag_error<int>("", {.required = true}),
            "exit 3, usage error: value expects a list of integers, found the text \"\" (--value)\n"
            "  fix: give a list such as 1,2 or [1, 2]");
  EXPECT_EQ(flag_error<int>("[]", {.required = true}),
            "exit 3, usage error: value is required but empty (--value)\n"
            "  fix: give --value INTEGER,..., or value in a settings file, or SCAFFOLD_SET_VALUE");
}

TEST(ListKnob, SurvivesAListThatNestsWithoutEnd) {
  const std::string deep = std::string(100'000, '[');
  EXPECT_EQ(flag_error<int>(deep), "exit 3, usage error: value expects a list of integers, found the text \"" +
                                       std::string(60, '[') +
                                       "...\" (--value)\n  fix: give a list such as 1,2 or [1, 2]");
}

}  // namespace
