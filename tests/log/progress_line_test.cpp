#include "base/log/progress_line.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/log/text.h"

namespace base {
namespace {

using std::chrono::seconds;

Progress training() {
  return {.label = "training", .note = "loss 0.123", .done = 120, .total = 400, .elapsed = seconds(10)};
}

TEST(DrawnProgress, ShowsEverythingWhereThereIsRoom) {
  EXPECT_EQ(drawn_progress(training(), 100, true, 0),
            "training ━━━━━━━────────────────── 120/400  30%  12.0 it/s  0:10, 0:23 left  loss 0.123");
}

TEST(DrawnProgress, IsAsciiWhereUnicodeDoesNotShow) {
  EXPECT_EQ(drawn_progress(training(), 100, false, 0),
            "training [######-----------------] 120/400  30%  12.0 it/s  0:10, 0:23 left  loss 0.123");
}

TEST(DrawnProgress, CutsTheNoteThenDropsTheBarThenCutsTheRest) {
  EXPECT_EQ(drawn_progress(training(), 70, true, 0),
            "training ━━━━━──────────── 120/400  30%  12.0 it/s  0:10, 0:23 left  l");
  EXPECT_EQ(drawn_progress(training(), 50, true, 0), "training 120/400  30%  12.0 it/s  0:10, 0:23 left ");
  EXPECT_EQ(drawn_progress(training(), 12, true, 0), "training 120");
  EXPECT_EQ(drawn_progress(training(), 0, true, 0), "");
}

TEST(DrawnProgress, KeepsItsColumnsWhileItCounts) {
  Progress progress = training();
  progress.done = 7;
  EXPECT_EQ(drawn_progress(progress, 100, true, 0).find("7/400"),
            drawn_progress(training(), 100, true, 0).find("0/400"));
}

TEST(DrawnProgress, HasAnEmptyBarAtTheStartAndAFullOneOnlyAtTheEnd) {
  Progress progress{.total = 1000};
  EXPECT_EQ(drawn_progress(progress, 40, false, 0), "[--------]    0/1000   0%  0:00");
  progress.done = 999;
  EXPECT_EQ(drawn_progress(progress, 40, false, 0), "[#######-]  999/1000  99%  0:00");
  progress.done = 1000;
  EXPECT_EQ(drawn_progress(progress, 40, false, 0), "[########] 1000/1000 100%  0:00");
}

TEST(DrawnProgress, SpinsWithoutATotal) {
  Progress progress{.label = "reading", .done = 1234, .elapsed = seconds(2)};
  EXPECT_EQ(drawn_progress(progress, 80, true, 0), "reading | 1234  617 it/s  0:02");
  EXPECT_EQ(drawn_progress(progress, 80, true, 1), "reading / 1234  617 it/s  0:02");
  EXPECT_EQ(drawn_progress(progress, 80, true, 7), "reading \\ 1234  617 it/s  0:02");
}

TEST(DrawnProgress, TakesATotalOfZeroForDone) {
  EXPECT_EQ(drawn_progress({.total = 0}, 40, false, 0), "[########] 0/0 100%  0:00");
}

TEST(DrawnProgress, ShowsATotalThatIsExceeded) {
  const Progress progress{.done = 500, .total = 400, .elapsed = seconds(10)};
  EXPECT_EQ(drawn_progress(progress, 40, false, 0), "[########] 500/400 125%  50.0 it/s  0:10");
}

TEST(DrawnProgress, CountsTheRateOfAResumedRunFromWhereItGoesOn) {
  const Progress progress{.done = 310, .first = 300, .total = 400, .elapsed = seconds(10)};
  EXPECT_EQ(told_progress(progress), "310/400 77%, 1.0 it/s, 0:10 elapsed, 1:30 left");
}

TEST(DrawnProgress, IsNeverWiderThanTheTerminal) {
  EXPECT_TRUE(
      rc::check("for any label, note, numbers and width", [](const std::string& label, const std::string& note) {
        Progress progress{.label = label, .note = note};
        progress.done = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
        progress.first = *rc::gen::inRange<std::int64_t>(0, 1000);
        if (*rc::gen::arbitrary<bool>()) {
          progress.total = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
        }
        progress.elapsed = std::chrono::duration<double>(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000));
        const int columns = *rc::gen::inRange(0, 200);
        const std::string line = drawn_progress(progress, columns, *rc::gen::arbitrary<bool>(), 3);
        RC_ASSERT(text_columns(line) <= columns);
        RC_ASSERT(visible_line(line) == line);
        RC_ASSERT(visible_line(told_progress(progress)) == told_progress(progress));
      }));
}

TEST(ToldProgress, SaysTheSameInWords) {
  EXPECT_EQ(told_progress(training()), "training: 120/400 30%, 12.0 it/s, 0:10 elapsed, 0:23 left, loss 0.123");
  EXPECT_EQ(told_stop(training()), "training: stopped at 120/400 (30%) after 0:10");
  EXPECT_EQ(told_stop({.done = 3}), "stopped at 3 after 0:00");
}

TEST(ToldProgress, WritesDurationsAndRatesForHumans) {
  const auto told = [](std::int64_t done, std::int64_t time) {
    return told_progress({.done = done, .total = 1'000'000, .elapsed = seconds(time)});
  };
  EXPECT_EQ(told(1, 5), "1/1000000 0%, 5.0 s/it, 0:05 elapsed, 57d 20:53 left");
  EXPECT_EQ(told(500'000, 3725), "500000/1000000 50%, 134 it/s, 1:02:05 elapsed, 1:02:05 left");
  EXPECT_EQ(told(1'000'000, 90'061), "1000000/1000000 100%, 11.1 it/s, 1d 01:01 elapsed");
  EXPECT_EQ(told(1, 100'000), "1/1000000 0%, 100000.0 s/it, 1d 03:46 elapsed");
}

TEST(PercentDone, IsAHundredOnlyWhenAllIsDone) {
  constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(percent_done({.done = kMany - 1, .total = kMany}), 99);
  EXPECT_EQ(percent_done({.done = kMany, .total = kMany}), 100);
  EXPECT_EQ(percent_done({.done = kMany, .total = 1}), 999);
  EXPECT_EQ(percent_done({.done = 0, .total = 0}), 100);
}

}  // namespace
}  // namespace base
