#include "base/log/progress_bar.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/log/console.h"
#include "base/log/log.h"
#include "tests/log/pseudo_terminal.h"
#include "tests/log/screen.h"

namespace base {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

/// A terminal, a console on it and a clock that stands still until it is told to go on.
class ProgressBarTest : public testing::Test {
 protected:
  ProgressBar::Options options(std::optional<std::int64_t> total = 400) {
    return {.label = "training", .total = total, .console = &console_, .clock = [this] { return now_; }};
  }
  Lines seen() { return Screen(80, terminal_.output()).lines(); }

  PseudoTerminal terminal_{80};
  Console console_{terminal_.descriptor(), {.term = "xterm"}};
  std::chrono::steady_clock::time_point now_{};
};

class OnATerminal : public ProgressBarTest {};

TEST_F(OnATerminal, ABarIsSeenAtOnce) {
  ProgressBar bar(options());
  EXPECT_EQ(terminal_.output(), "\rtraining [-----------------]   0/400   0%  0:00\x1b[K");
}

TEST_F(OnATerminal, ItIsRedrawnAtMostTenTimesASecond) {
  {
    ProgressBar bar(options());
    for (int step = 0; step < 400; ++step, now_ += 10ms) bar.advance();
    bar.finish();
  }
  const std::string output = terminal_.output();
  EXPECT_EQ(std::count(output.begin(), output.end(), '\r'), 1 + 39 + 1) << "at the start, in 4 s, at the end";
}

TEST_F(OnATerminal, FinishLeavesOneLine) {
  ProgressBar bar(options());
  now_ += 10s;
  bar.advance(400, "loss 0.123");
  bar.finish();
  EXPECT_EQ(seen(), (Lines{"training [#################] 400/400 100%  40.0 it/s  0:10  loss 0.123", ""}));
}

TEST_F(OnATerminal, DropLeavesNothing) {
  {
    ProgressBar bar(options());
    bar.advance(400);
    bar.drop();
    bar.finish();
  }
  EXPECT_EQ(seen(), Lines{""});
}

TEST_F(OnATerminal, ANoteStaysUntilAnotherReplacesIt) {
  ProgressBar bar(options());
  bar.advance(1, "loss 2");
  now_ += 1s;
  bar.advance();
  EXPECT_EQ(seen(), (Lines{"training [-----------------]   2/400   0%  2.0 it/s  0:01, 3:19 left  loss 2"}));
}

TEST_F(OnATerminal, LogLinesAreWrittenAboveIt) {
  log::start({.console = &console_});
  ProgressBar bar(options());
  log::info("epoch 1");
  now_ += 1s;
  bar.advance(200);
  log::warn("epoch 2");
  log::stop();
  const Lines lines = seen();
  ASSERT_EQ(lines.size(), 3);
  EXPECT_EQ(lines[0].substr(8), " epoch 1");
  EXPECT_EQ(lines[1].substr(8), " warn: epoch 2");
  EXPECT_EQ(lines[2], "training [########---------] 200/400  50%  200 it/s  0:01, 0:01 left");
}

TEST_F(OnATerminal, ItFollowsTheWindow) {
  ProgressBar bar(options());
  terminal_.resize(20);
  now_ += 1s;
  bar.advance();
  EXPECT_EQ(terminal_.output().substr(terminal_.output().rfind('\r')), "\rtraining   1/400   \x1b[K");
}

TEST_F(OnATerminal, AnExceptionLeavesALineThatSaysWhereItStopped) {
  try {
    ProgressBar bar(options());
    bar.advance(120);
    now_ += 75s;
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(seen(), (Lines{"training: stopped at 120/400 (30%) after 1:15", ""}));
}

TEST_F(OnATerminal, ABarThatIsFullNeedsNoFinish) {
  { ProgressBar(options()).advance(400); }
  EXPECT_EQ(seen(), (Lines{"training [#################] 400/400 100%  0:00", ""}));
}

TEST_F(OnATerminal, ItSpinsWithoutATotalAndEndsInWords) {
  {
    ProgressBar bar(options(std::nullopt));
    now_ += 1s;
    bar.advance(5);
    bar.finish();
  }
  EXPECT_EQ(terminal_.output(),
            "\rtraining | 0  0:00\x1b[K"
            "\rtraining / 5  5.0 it/s  0:01\x1b[K"
            "\r\x1b[Ktraining: 5, 5.0 it/s, 0:01 elapsed\n");
}

TEST_F(OnATerminal, OddCallsAreHarmless) {
  {
    ProgressBar bar(options(0));
    bar.advance(3);
    bar.advance(-10);
    bar.advance(std::numeric_limits<std::int64_t>::max());
    bar.advance(std::numeric_limits<std::int64_t>::max());
    bar.advance(std::numeric_limits<std::int64_t>::min());
    bar.finish();
    bar.finish();
    now_ += 1min;
    bar.advance(1);
  }
  { ProgressBar negative(options(-5)); }
  EXPECT_EQ(seen(),
            (Lines{"training [#################] 0/0 100%  0:00", "training [#################] 0/0 100%  0:00", ""}));
}

TEST_F(OnATerminal, SeveralThreadsMayAdvanceIt) {
  {
    ProgressBar bar({.label = "copying", .total = 4000, .console = &console_});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int step = 0; step < 1000; ++step) bar.advance(1, "note");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_NE(seen().front().find("4000/4000 100%"), std::string::npos);
}

/// Glyphs of every width, and bytes that are none.
std::string any_text() {
  const auto glyph = rc::gen::element<std::string>("a", " ", "é", "━", "漢", "🎉", "e\xcc\x81", "\xcc\x81",
                                                   "\xe2\x80\xae", "\x1b[2J", "\r", "\n", "\t", "\xff", "\xe6\xbc");
  std::string text;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(glyph)) text += part;
  return text;
}

TEST_F(OnATerminal, NoLabelOrNoteMakesItWiderThanTheWindow) {
  EXPECT_TRUE(rc::check("for any label, note and width", [] {
    const std::string label = any_text();
    const std::string note = any_text();
    const int columns = *rc::gen::inRange(1, 120);
    PseudoTerminal terminal(columns);
    Console console(terminal.descriptor(), at_a_terminal());
    auto now = std::chrono::steady_clock::time_point{};
    {
      ProgressBar bar({.label = label, .total = 3, .console = &console, .clock = [&] { return now += 1s; }});
      bar.advance(1, note);
      bar.advance(2);
      bar.finish();
    }
    const Screen screen(static_cast<std::size_t>(columns), terminal.output());
    RC_ASSERT(!screen.has_wrapped());
    RC_ASSERT(screen.lines().size() == 2);
  }));
}

/// The same with a console that must not be redrawn: CI has a terminal, and what it shows is kept as a file.
class InCi : public ProgressBarTest {
 protected:
  Console ci_{terminal_.descriptor(), {.term = "xterm", .ci = "true"}};
  ProgressBar::Options plain(std::optional<std::int64_t> total = 400) {
    ProgressBar::Options plain = options(total);
    plain.console = &ci_;
    return plain;
  }
};

TEST_F(InCi, ItSaysAPlainLineEveryTenPercent) {
  {
    ProgressBar bar(plain());
    for (int step = 0; step < 400; ++step) {
      now_ += 250ms;
      bar.advance();
    }
    bar.finish();
  }
  const Lines lines = seen();
  ASSERT_EQ(lines.size(), 11);
  EXPECT_EQ(lines[0], "training: 40/400 10%, 4.0 it/s, 0:10 elapsed, 1:30 left");
  EXPECT_EQ(lines[8], "training: 360/400 90%, 4.0 it/s, 1:30 elapsed, 0:10 left");
  EXPECT_EQ(lines[9], "training: 400/400 100%, 4.0 it/s, 1:40 elapsed");
  EXPECT_EQ(terminal_.output().find_first_of("\r\x1b"), std::string::npos);
}

TEST_F(InCi, AShortLoopSaysOneLine) {
  {
    ProgressBar bar(plain());
    for (int step = 0; step < 400; ++step, now_ += 1ms) bar.advance();
    bar.finish();
  }
  EXPECT_EQ(seen(), (Lines{"training: 400/400 100%, 1000 it/s, 0:00 elapsed", ""}));
}

TEST_F(InCi, ALongLoopShowsLifeEveryThirtySeconds) {
  {
    ProgressBar bar(plain(1'000'000));
    for (int step = 0; step < 90; ++step) {
      now_ += 1s;
      bar.advance(1, "loss 1");
    }
  }
  const Lines lines = seen();
  ASSERT_EQ(lines.size(), 5);
  EXPECT_EQ(lines[0], "training: 30/1000000 0%, 1.0 it/s, 0:30 elapsed, 11d 13:46 left, loss 1");
  EXPECT_EQ(lines[2], "training: 90/1000000 0%, 1.0 it/s, 1:30 elapsed, 11d 13:45 left, loss 1");
  EXPECT_EQ(lines[3], "training: stopped at 90/1000000 (0%) after 1:30");
}

TEST_F(InCi, AResumedLoopDoesNotRepeatItsTenths) {
  {
    ProgressBar::Options resumed = plain();
    resumed.done = 300;
    ProgressBar bar(resumed);
    now_ += 2s;
    bar.advance(1);
    now_ += 2s;
    bar.advance(30);
  }
  EXPECT_EQ(seen(), (Lines{"training: 331/400 82%, 7.8 it/s, 0:04 elapsed, 0:09 left",
                           "training: stopped at 331/400 (82%) after 0:04", ""}));
}

TEST_F(InCi, CountsWithoutATotalEveryThirtySeconds) {
  {
    ProgressBar bar(plain(std::nullopt));
    for (int step = 0; step < 31; ++step, now_ += 1s) bar.advance(100);
    bar.finish();
  }
  EXPECT_EQ(seen(), (Lines{"training: 3100, 103 it/s, 0:30 elapsed", "training: 3100, 100 it/s, 0:31 elapsed", ""}));
}

}  // namespace
}  // namespace base
