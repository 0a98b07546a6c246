// Each type of knob: what it takes from a flag and from a file, what it refuses and how it says so.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/config/support.h"

namespace {

using config_test::One;
using std::chrono::milliseconds;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
T from_flag(const std::string& text) {
  return config_test::loaded<One<T>>({"--value=" + text}).value;
}

template <typename T>
T from_file(const std::string& toml) {
  return config_test::loaded_file<One<T>>("value = " + toml).value;
}

// The message for a wrong flag, without what is the same in all of them.
template <typename T>
std::string flag_error(const std::string& text, base::RuleOf<T> rule = {}) {
  One<T> settings{T{}, rule};
  settings.rule.required = true;  // so that its default does not matter
  std::string message = config_test::refusal(settings, {"--value=" + text});
  const std::string expected_start = "exit 3, usage error: value";
  if (message == "accepted") return message;
  return message.starts_with(expected_start) ? message.substr(expected_start.size()) : "other start: " + message;
}

template <typename T>
std::string file_error(const std::string& toml, base::RuleOf<T> rule = {}) {
  One<T> settings{T{}, rule};
  settings.rule.required = true;
  std::string message = config_test::file_refusal("value = " + toml, settings);
  const std::string expected_start = "exit 4, config error: value";
  if (message == "accepted") return message;
  return message.starts_with(expected_start) ? message.substr(expected_start.size()) : "other start: " + message;
}

TEST(BoolKnob, IsTrueOrFalse) {
  EXPECT_EQ(from_flag<bool>("true"), true);
  EXPECT_EQ(from_flag<bool>("false"), false);
  EXPECT_EQ(from_file<bool>("true"), true);
  EXPECT_EQ(from_file<bool>("false"), false);
}

TEST(BoolKnob, RefusesEverythingElse) {
  EXPECT_EQ(flag_error<bool>("yes"), R"( expects true or false, found the text "yes" (--value)
  fix: give true or false)");
  EXPECT_EQ(flag_error<bool>("1"), " expects true or false, found the integer 1 (--value)\n  fix: give true or false");
  EXPECT_EQ(flag_error<bool>(""), " expects true or false, found the text \"\" (--value)\n  fix: give true or false");
  EXPECT_EQ(flag_error<bool>("True"),
            " expects true or false, found the text \"True\" (--value)\n  fix: give true or false");
  EXPECT_EQ(file_error<bool>("1"),
            " expects true or false, found the integer 1 (train.toml:1)\n  fix: give true or false");
  EXPECT_EQ(file_error<bool>("\"true\""),
            " expects true or false, found the text \"true\" (train.toml:1)\n  fix: give true or false");
}

TEST(IntegerKnob, TakesDecimalNumbersWithASign) {
  EXPECT_EQ(from_flag<int>("12"), 12);
  EXPECT_EQ(from_flag<int>("-12"), -12);
  EXPECT_EQ(from_flag<int>("+12"), 12);
  EXPECT_EQ(from_flag<int>("007"), 7);
  EXPECT_EQ(from_flag<int>("-0"), 0);
  EXPECT_EQ(from_file<int>("12"), 12);
  EXPECT_EQ(from_file<int>("-12"), -12);
  EXPECT_EQ(from_file<int>("+12"), 12);
  EXPECT_EQ(from_file<int>("0xFF"), 255);
  EXPECT_EQ(from_file<int>("1_000"), 1000);
}

TEST(IntegerKnob, ReachesTheLimitsOfItsType) {
  EXPECT_EQ(from_flag<int>("2147483647"), std::numeric_limits<int>::max());
  EXPECT_EQ(from_flag<int>("-2147483648"), std::numeric_limits<int>::min());
  EXPECT_EQ(from_file<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(from_file<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(from_flag<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(from_flag<std::uint64_t>("9223372036854775807"), 9223372036854775807u);
  EXPECT_EQ(from_file<std::uint64_t>("0"), 0u);
}

TEST(IntegerKnob, RefusesWhatItsTypeCannotHold) {
  EXPECT_EQ(flag_error<int>("2147483648"),
            " is out of range: 2147483648 (--value)\n  fix: give an integer from -2147483648 to 2147483647");
  EXPECT_EQ(file_error<int>("-2147483649"),
            " is out of range: -2147483649 (train.toml:1)\n  fix: give an integer from -2147483648 to 2147483647");
  EXPECT_EQ(flag_error<std::int64_t>("9223372036854775808"),
            " is out of range: 9223372036854775808 (--value)\n"
            "  fix: give an integer from -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(flag_error<std::uint64_t>("9223372036854775808"),
            " is out of range: 9223372036854775808 (--value)\n  fix: give an integer from 0 to 9223372036854775807");
  EXPECT_EQ(file_error<std::uint64_t>("-1"),
            " is out of range: -1 (train.toml:1)\n  fix: give an integer from 0 to 9223372036854775807");
  EXPECT_EQ(flag_error<int>("99999999999", {.min = 1}),
            " is out of range: 99999999999 (--value)\n  fix: give an integer from 1 to 2147483647");
  EXPECT_EQ(flag_error<int>("-99999999999", {.max = 5}),
            " is out of range: -99999999999 (--value)\n  fix: give an integer from -2147483648 to 5");
}

TEST(IntegerKnob, RefusesWhatIsNoInteger) {
  EXPECT_EQ(flag_error<int>("1.5"), " expects an integer, found the number 1.5 (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("1.0"), " expects an integer, found the number 1.0 (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("1e3"), " expects an integer, found the number 1e3 (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("abc"), " expects an integer, found the text \"abc\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>(""), " expects an integer, found the text \"\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("12x"), " expects an integer, found the text \"12x\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>(" 12"), " expects an integer, found the text \" 12\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("+-1"), " expects an integer, found the text \"+-1\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("0x10"), " expects an integer, found the text \"0x10\" (--value)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("1.5"), " expects an integer, found the number 1.5 (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("1.0"), " expects an integer, found the number 1.0 (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("\"7\""),
            " expects an integer, found the text \"7\" (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("true"),
            " expects an integer, found the boolean true (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("[1]"), " expects an integer, found a list (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("{a = 1}"), " expects an integer, found a table (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("2024-02-29"),
            " expects an integer, found a date or time (train.toml:1)\n  fix: give an integer");
  EXPECT_EQ(file_error<int>("07:32:00"),
            " expects an integer, found a date or time (train.toml:1)\n  fix: give an integer");
}

TEST(NumberKnob, TakesNumbersAndIntegers) {
  EXPECT_EQ(from_flag<double>("0.1"), 0.1);
  EXPECT_EQ(from_flag<double>("-1e-3"), -0.001);
  EXPECT_EQ(from_flag<double>("+.5"), 0.5);
  EXPECT_EQ(from_flag<double>("7"), 7.0);
  EXPECT_EQ(from_file<double>("0.1"), 0.1);
  EXPECT_EQ(from_file<double>("7"), 7.0);
  EXPECT_EQ(from_file<double>("1e3"), 1000.0);
  EXPECT_EQ(from_file<float>("0.1"), 0.1f);
  EXPECT_EQ(from_flag<float>("16777217"), 16777216.0f);
  EXPECT_EQ(from_flag<float>("1e-60"), 0.0f);
}

TEST(NumberKnob, TakesInfinity) {
  EXPECT_EQ(from_flag<double>("inf"), kInfinity);
  EXPECT_EQ(from_flag<double>("-inf"), -kInfinity);
  EXPECT_EQ(from_file<double>("+inf"), kInfinity);
  EXPECT_EQ(from_file<float>("-inf"), -std::numeric_limits<float>::infinity());
}

TEST(NumberKnob, RefusesNotANumber) {
  EXPECT_EQ(flag_error<double>("nan"), " expects a number, found the text \"nan\" (--value)\n  fix: give a number");
  EXPECT_EQ(file_error<double>("nan"), " expects a number, found nan (train.toml:1)\n  fix: give a number");
  EXPECT_EQ(file_error<float>("-nan"), " expects a number, found nan (train.toml:1)\n  fix: give a number");
}

TEST(NumberKnob, RefusesWhatItsTypeCannotHold) {
  EXPECT_EQ(flag_error<double>("1e400"),
            " is out of range: 1e400 (--value)\n"
            "  fix: give a number from -1.7976931348623157e+308 to 1.7976931348623157e+308");
  EXPECT_EQ(flag_error<float>("1e39"),
            " is out of range: 1e39 (--value)\n  fix: give a number from -3.4028235e+38 to 3.4028235e+38");
  EXPECT_EQ(file_error<float>("-1e39"),
            " is out of range: -1e+39 (train.toml:1)\n  fix: give a number from -3.4028235e+38 to 3.4028235e+38");
  EXPECT_EQ(file_error<float>("1e39", {.min = 0}),
            " is out of range: 1e+39 (train.toml:1)\n  fix: give a number from 0 to 3.4028235e+38");
}

TEST(NumberKnob, RefusesWhatIsNoNumber) {
  EXPECT_EQ(flag_error<double>("1,5"), " expects a number, found the text \"1,5\" (--value)\n  fix: give a number");
  EXPECT_EQ(flag_error<double>(""), " expects a number, found the text \"\" (--value)\n  fix: give a number");
  EXPECT_EQ(flag_error<double>("0x1p3"), " expects a number, found the text \"0x1p3\" (--value)\n  fix: give a number");
  EXPECT_EQ(file_error<double>("\"0.1\""),
            " expects a number, found the text \"0.1\" (train.toml:1)\n  fix: give a number");
}

TEST(TextKnob, TakesEveryText) {
  for (const std::string text : {"", "abc", "true", "12", "a b", "\"quoted\"", "[[aa]]", "{}", "%%", "--x", "=", "a=b",
                                 "line\nbreak", "tab\t", "\x1b[0m", "é€😀", "#no comment", "\\n", "~/x"}) {
    EXPECT_EQ(from_flag<std::string>(text), text);
  }
  EXPECT_EQ(from_file<std::string>(R"("a\tb\u00e9\U0001F600\"")"), "a\tbé😀\"");
  EXPECT_EQ(from_file<std::string>("'a\\tb'"), "a\\tb");
  EXPECT_EQ(from_file<std::string>("\"\"\"\na\nb\"\"\""), "a\nb");
}

TEST(TextKnob, RefusesWhatAFileCannotHold) {
  EXPECT_EQ(flag_error<std::string>("a\xFF"),
            " is not valid UTF-8: the text \"a\\xFF\" (--value)\n  fix: give it in UTF-8");
  EXPECT_EQ(file_error<std::string>(R"("a\u0000b")"),
            " holds a NUL character: the text \"a\\u0000b\" (train.toml:1)\n  fix: take that character out");
  EXPECT_EQ(flag_error<std::filesystem::path>("\xC0\x80"),
            " is not valid UTF-8: the text \"\\xC0\\x80\" (--value)\n  fix: give it in UTF-8");
}

TEST(TextKnob, RefusesWhatIsNoText) {
  EXPECT_EQ(file_error<std::string>("3"),
            " expects a text, found the integer 3 (train.toml:1)\n  fix: give a text in quotes");
  EXPECT_EQ(file_error<std::string>("[\"a\"]"),
            " expects a text, found a list (train.toml:1)\n  fix: give a text in quotes");
  EXPECT_EQ(file_error<std::filesystem::path>("false"),
            " expects a path, found the boolean false (train.toml:1)\n  fix: give a path in quotes");
}

TEST(DurationKnob, TakesTextWithUnits) {
  EXPECT_EQ(from_flag<milliseconds>("1h30m"), std::chrono::minutes(90));
  EXPECT_EQ(from_flag<milliseconds>("-5s"), std::chrono::seconds(-5));
  EXPECT_EQ(from_file<milliseconds>("\"250ms\""), milliseconds(250));
}

TEST(DurationKnob, RefusesEverythingElse) {
  const std::string fix = "\n  fix: give a duration such as 30s or 1h30m";
  EXPECT_EQ(flag_error<milliseconds>("30"), " expects a duration, found the integer 30 (--value)" + fix);
  EXPECT_EQ(flag_error<milliseconds>("30 s"), " expects a duration, found the text \"30 s\" (--value)" + fix);
  EXPECT_EQ(flag_error<milliseconds>("99999999999999h"),
            " expects a duration, found the text \"99999999999999h\" (--value)" + fix);
  EXPECT_EQ(file_error<milliseconds>("30"), " expects a duration, found the integer 30 (train.toml:1)" + fix);
  EXPECT_EQ(file_error<milliseconds>("1.5"), " expects a duration, found the number 1.5 (train.toml:1)" + fix);
}

TEST(Rule, RefusesValuesOutOfRange) {
  EXPECT_EQ(flag_error<int>("0", {.min = 1, .max = 8192}),
            " is out of range: 0 (--value)\n  fix: give an integer from 1 to 8192");
  EXPECT_EQ(flag_error<int>("8193", {.min = 1, .max = 8192}),
            " is out of range: 8193 (--value)\n  fix: give an integer from 1 to 8192");
  EXPECT_EQ(file_error<double>("-1", {.min = 0.0, .max = 10.0}),
            " is out of range: -1 (train.toml:1)\n  fix: give a number from 0 to 10");
  EXPECT_EQ(file_error<double>("inf", {.max = 1.5}),
            " is out of range: inf (train.toml:1)\n  fix: give a number of at most 1.5");
  EXPECT_EQ(flag_error<float>("0.05", {.min = 0.1f}),
            " is out of range: 0.05 (--value)\n  fix: give a number of at least 0.1");
  EXPECT_EQ(flag_error<milliseconds>("90m", {.min = std::chrono::seconds(1), .max = std::chrono::hours(1)}),
            " is out of range: 1h30m (--value)\n  fix: give a duration from 1s to 1h");
  EXPECT_EQ(flag_error<milliseconds>("soon", {.min = std::chrono::seconds(1)}),
            " expects a duration, found the text \"soon\" (--value)\n  fix: give a duration of at least 1s");
}

TEST(Rule, AcceptsTheEndsOfARange) {
  EXPECT_EQ(flag_error<int>("1", {.min = 1, .max = 8192}), "accepted");
  EXPECT_EQ(flag_error<int>("8192", {.min = 1, .max = 8192}), "accepted");
  EXPECT_EQ(flag_error<double>("0", {.min = 0.0}), "accepted");
  EXPECT_EQ(flag_error<double>("inf", {.min = 0.0}), "accepted");
}

TEST(Rule, RefusesWhatIsNoneOfTheChoices) {
  EXPECT_EQ(flag_error<std::string>("sdg", {.choices = {"sgd", "adam"}}),
            " is none of its choices: \"sdg\" (--value)\n  fix: give \"sgd\" or \"adam\"");
  EXPECT_EQ(file_error<std::string>("3", {.choices = {"sgd", "adam"}}),
            " expects a text, found the integer 3 (train.toml:1)\n  fix: give \"sgd\" or \"adam\"");
  EXPECT_EQ(flag_error<int>("3", {.choices = {1, 2, 4}}),
            " is none of its choices: 3 (--value)\n  fix: give 1, 2 or 4");
  EXPECT_EQ(flag_error<milliseconds>("2s", {.choices = {milliseconds(1000)}}),
            " is none of its choices: 2s (--value)\n  fix: give 1s");
  EXPECT_EQ(flag_error<std::string>("adam", {.choices = {"sgd", "adam"}}), "accepted");
}

TEST(Message, CutsLongValuesAndEscapesThem) {
  EXPECT_EQ(flag_error<int>(std::string(1000, 'x')), " expects an integer, found the text \"" + std::string(60, 'x') +
                                                         "...\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>("\x1b]0;title\a\n"),
            " expects an integer, found the text \"\\u001B]0;title\\u0007\\n\" (--value)\n  fix: give an integer");
  EXPECT_EQ(flag_error<int>(std::string(100, '9')),
            " is out of range: " + std::string(60, '9') +
                "... (--value)\n  fix: give an integer from -2147483648 to 2147483647");
  EXPECT_EQ(flag_error<std::string>(std::string(100, 'x'), {.choices = {"a"}}),
            " is none of its choices: \"" + std::string(60, 'x') + "...\" (--value)\n  fix: give \"a\"");
}

}  // namespace
