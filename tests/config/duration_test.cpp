// Durations as people write them: parse_duration and print_duration.
#include "base/config/duration.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace {

using base::parse_duration;
using base::print_duration;
using std::chrono::milliseconds;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

const std::map<std::string, std::int64_t>& canonical_forms() {
  static const std::map<std::string, std::int64_t> forms{
      {"0s", 0},
      {"1ms", 1},
      {"250ms", 250},
      {"1s", 1'000},
      {"30s", 30'000},
      {"1s500ms", 1'500},
      {"1m", 60'000},
      {"10m", 600'000},
      {"1m1ms", 60'001},
      {"1h", 3'600'000},
      {"1h30m", 5'400'000},
      {"48h", 172'800'000},
      {"1h1m1s1ms", 3'661'001},
      {"-5s", -5'000},
      {"-1h30m", -5'400'000},
      {"2562047788015h12m55s807ms", kMost},
      {"-2562047788015h12m55s808ms", kLeast},
  };
  return forms;
}

TEST(Duration, IsReadInItsCanonicalForm) {
  for (const auto& [text, count] : canonical_forms()) EXPECT_EQ(parse_duration(text), milliseconds(count)) << text;
}

TEST(Duration, IsPrintedInItsCanonicalForm) {
  for (const auto& [text, count] : canonical_forms()) EXPECT_EQ(print_duration(milliseconds(count)), text);
}

TEST(Duration, IsReadInOtherFormsToo) {
  const std::map<std::string, std::int64_t> forms{
      {"90m", 5'400'000},
      {"0ms", 0},
      {"0h0m0s0ms", 0},
      {"-0s", 0},
      {"1500ms", 1'500},
      {"007s", 7'000},
      {"1h0m5s", 3'605'000},
      {"9223372036854775807ms", kMost},
      {"-9223372036854775808ms", kLeast},
  };
  for (const auto& [text, count] : forms) EXPECT_EQ(parse_duration(text), milliseconds(count)) << text;
}

TEST(Duration, NeedsAUnit) {
  for (const std::string text : {"", "0", "5", "-5", "1h30", "s", "ms", "-", "-s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, HasEachUnitAtMostOnceFromLargeToSmall) {
  for (const std::string text : {"1s1s", "1ms1s", "30m1h", "1m1h", "1s2s3s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, IsRefusedInAnyOtherForm) {
  for (const std::string text : {"1 s", " 1s", "1s ", "+1s", "--1s", "1h-30m", "1.5s", "1e3s", "1d", "1S", "1sec",
                                 "1hms", "1mss", "0x1s", "one s", "1s\n", "1s,2s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, IsRefusedBeyondWhatMillisecondsHold) {
  for (const std::string text :
       {"9223372036854775808ms", "-9223372036854775809ms", "9223372036854776s", "2562047788016h",
        "2562047788015h12m55s808ms", "18446744073709551616ms", "99999999999999999999999h", "5124095576030431h"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(DurationProperty, PrintedIsReadBackExactly, (std::int64_t count)) {
  RC_ASSERT(parse_duration(print_duration(milliseconds(count))) == milliseconds(count));
}

RC_GTEST_PROP(DurationProperty, PartsAddUp, ()) {
  const auto hours = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const auto minutes = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const auto seconds = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const auto rest = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const std::string text = std::to_string(hours) + "h" + std::to_string(minutes) + "m" + std::to_string(seconds) + "s" +
                           std::to_string(rest) + "ms";
  const std::int64_t sum = ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest;
  RC_ASSERT(parse_duration(text) == milliseconds(sum));
  RC_ASSERT(parse_duration("-" + text) == milliseconds(-sum));
}

RC_GTEST_PROP(DurationProperty, NoLongerFormIsPrinted, (std::int64_t count)) {
  const std::string text = print_duration(milliseconds(count));
  for (const std::string zero : {"0h", "0m", "0ms"}) {
    const std::size_t at = text.find(zero);
    // "10m" has a zero that belongs to its number.
    const bool is_part = at != std::string::npos && (at == 0 || text[at - 1] < '0' || text[at - 1] > '9');
    RC_ASSERT(!is_part);
  }
}

}  // namespace
