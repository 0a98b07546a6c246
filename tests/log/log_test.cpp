#include "base/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/log/console.h"
#include "base/log/error.h"
#include "tests/log/pseudo_terminal.h"
#include "tests/log/screen.h"
#include "tests/support/temporary_folder.h"

namespace base::log {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
    if (text.find('\n', at) == std::string::npos) break;
  }
  return lines;
}

/// The text with each stretch that looks like the mask (9 stands for any digit, ~ for either sign) as `word`.
std::string replaced(std::string text, std::string_view mask, std::string_view word) {
  const auto fits = [](char c, char m) {
    return m == '9' ? c >= '0' && c <= '9' : m == '~' ? c == '+' || c == '-' : c == m;
  };
  for (auto at = text.begin(); at != text.end(); ++at) {
    at = std::search(at, text.end(), mask.begin(), mask.end(), fits);
    if (at == text.end()) break;
    text.replace(at, at + static_cast<std::ptrdiff_t>(mask.size()), word);
    at = text.begin();
  }
  return text;
}

/// With each date as DATE, each time of day as TIME and the number of this thread as N.
std::string without_times(const std::string& text) {
  const std::string thread = "thread " + std::to_string(gettid());
  return replaced(replaced(replaced(text, "9999-99-99T99:99:99.999~99:99", "DATE"), "99:99:99", "TIME"), thread,
                  "thread N");
}

class Log : public testing::Test {
 protected:
  void TearDown() override { stop(); }
  /// What a terminal was written, with the times taken out.
  std::string written() { return without_times(terminal_.output()); }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "runlogs" / "rank-0.log";
  PseudoTerminal terminal_{100};
  Console console_{terminal_.descriptor(), {.term = "xterm", .no_color = "1"}};
};

TEST_F(Log, WritesShortLinesToTheConsole) {
  start({.level = Level::kDebug, .console = &console_});
  debug("{} workers", 4);
  info("step {} loss {:.4f}", 100, 0.12345);
  warn("the learning rate is zero");
  error("the loss is {}", "nan");
  EXPECT_EQ(written(),
            "TIME debug: 4 workers\n"
            "TIME step 100 loss 0.1235\n"
            "TIME warn: the learning rate is zero\n"
            "TIME error: the loss is nan\n");
}

TEST_F(Log, ColorsTheLevelOnATerminal) {
  Console colored(terminal_.descriptor(), at_a_terminal());
  start({.console = &colored});
  warn("hot");
  error("hotter");
  EXPECT_EQ(written(),
            "\x1b[90mTIME \x1b[0m\x1b[33mwarn\x1b[0m: hot\n"
            "\x1b[90mTIME \x1b[0m\x1b[31merror\x1b[0m: hotter\n");
}

TEST_F(Log, WritesFullLinesToTheFile) {
  start({.level = Level::kDebug, .file = file_, .console = &console_});
  debug("one");
  info("two");
  warn("three");
  error("four");
  EXPECT_EQ(without_times(contents_of(file_)),
            "DATE debug [0/1] thread N: one\n"
            "DATE info  [0/1] thread N: two\n"
            "DATE warn  [0/1] thread N: three\n"
            "DATE error [0/1] thread N: four\n");
}

TEST_F(Log, LeavesOutLinesBelowTheLevel) {
  start({.level = Level::kWarn, .file = file_, .console = &console_});
  EXPECT_FALSE(is_enabled(Level::kInfo));
  EXPECT_TRUE(is_enabled(Level::kWarn));
  info("left out");
  warn("kept");
  EXPECT_EQ(without_times(contents_of(file_)), "DATE warn  [0/1] thread N: kept\n");
  EXPECT_EQ(written(), "TIME warn: kept\n");
}

TEST_F(Log, NamesTheRankOfADistributedRun) {
  start({.file = file_, .rank = 2, .world_size = 4, .console = &console_});
  info("here");
  warn("there");
  report(Error(ErrorKind::kDistributed, "rank 3 is gone", "", "start it again"));
  EXPECT_EQ(without_times(contents_of(file_)),
            "DATE info  [2/4] thread N: here\n"
            "DATE warn  [2/4] thread N: there\n"
            "DATE error [2/4] thread N: distributed error: rank 3 is gone\n"
            "      fix: start it again\n");
  EXPECT_EQ(written(),
            "TIME [2/4] here\n"
            "TIME [2/4] warn: there\n"
            "[2/4] distributed error: rank 3 is gone\n"
            "  fix: start it again\n");
}

TEST_F(Log, AppendsToAFileThatIsThere) {
  start({.file = file_, .console = &console_});
  info("first run");
  stop();
  start({.file = file_, .console = &console_});
  info("second run");
  EXPECT_EQ(without_times(contents_of(file_)),
            "DATE info  [0/1] thread N: first run\nDATE info  [0/1] thread N: second run\n");
}

TEST_F(Log, WritesNothingMoreToTheFileAfterStop) {
  start({.level = Level::kError, .file = file_, .console = &console_});
  stop();
  EXPECT_TRUE(is_enabled(Level::kInfo)) << "as before start()";
  info("seen on standard error alone");
  EXPECT_EQ(contents_of(file_), "");
}

TEST_F(Log, IndentsTheFurtherLinesOfAMessage) {
  start({.file = file_, .console = &console_});
  info("a table:\n1 2\n3 4");
  EXPECT_EQ(without_times(contents_of(file_)), "DATE info  [0/1] thread N: a table:\n    1 2\n    3 4\n");
  EXPECT_EQ(written(), "TIME a table:\n    1 2\n    3 4\n");
}

TEST_F(Log, ShowsControlCharactersInBothPlaces) {
  start({.file = file_, .console = &console_});
  info("read {}", "\x1b[2Jevil\r.csv");
  EXPECT_EQ(without_times(contents_of(file_)), "DATE info  [0/1] thread N: read \\x1b[2Jevil\\x0d.csv\n");
  EXPECT_EQ(written(), "TIME read \\x1b[2Jevil\\x0d.csv\n");
}

TEST_F(Log, LogsAPatternThatDoesNotFitInsteadOfThrowing) {
  start({.console = &console_});
  info("loss {:.2}", 1);
  EXPECT_THAT(written(), testing::StartsWith("TIME internal error: a text pattern does not fit its values ("));
  EXPECT_THAT(written(), testing::HasSubstr("): loss {:.2}\n"));
}

TEST_F(Log, WritesAboveAStatusLine) {
  start({.console = &console_});
  console_.show_status("training 3/400");
  info("epoch 1");
  EXPECT_EQ(written(), "\rtraining 3/400\x1b[K\r\x1b[KTIME epoch 1\ntraining 3/400");
}

TEST_F(Log, SaysWhichFileCannotBeOpenedAndStaysAsItWas) {
  start({.console = &console_});
  try {
    start({.file = folder_.path(), .console = nullptr});
    FAIL() << "a folder was opened as a file";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "config error: the log file cannot be opened (Is a directory): " + folder_.path().string() +
                                "\n  fix: name a file in a folder that you may write to");
  }
  try {
    start({.file = "/proc/no/such/folder.log"});
    FAIL() << "a folder was made in /proc";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConfig);
    EXPECT_THAT(error.what(), testing::HasSubstr("): /proc/no/such/folder.log\n"));
  }
  info("still here");
  EXPECT_EQ(written(), "TIME still here\n");
}

TEST_F(Log, SaysOnceThatTheDiskIsFull) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  start({.file = "/dev/full", .console = &console_});
  info("one");
  info("two");
  const std::string text = written();
  EXPECT_THAT(text, testing::HasSubstr("No space left on device"));
  EXPECT_EQ(text.find("warn"), text.rfind("warn"));
  EXPECT_THAT(text, testing::HasSubstr("TIME two\n"));
}

TEST_F(Log, KeepsTheLinesOfSeveralThreadsApart) {
  constexpr int kThreads = 4, kLines = 200;
  start({.file = file_, .console = &console_});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([thread] {
      for (int line = 0; line < kLines; ++line) info("thread {} says line {}", thread, line);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::multiset<std::string> expected;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int line = 0; line < kLines; ++line) expected.insert(format("thread {} says line {}", thread, line));
  }
  const std::string in_file = contents_of(file_);
  for (const std::string& text : {in_file, terminal_.output()}) {
    std::multiset<std::string> lines;
    for (const std::string& line : lines_of(text)) {
      const std::size_t message = line.rfind("thread ");
      lines.insert(message == std::string::npos ? line : line.substr(message));
      EXPECT_TRUE(message == 9 || line.find(" info  [0/1] thread ") == 29) << line;
    }
    EXPECT_EQ(lines, expected);
  }
}

TEST_F(Log, CanBeStartedAndStoppedWhileOthersWrite) {
  start({.file = file_, .console = &console_});
  std::thread writer([] {
    for (int line = 0; line < 500; ++line) warn("line {}", line);
  });
  for (int i = 0; i < 50; ++i) start({.level = Level::kDebug, .file = file_, .console = &console_});
  writer.join();
  EXPECT_EQ(lines_of(contents_of(file_)).size(), 500);
}

TEST(LogBeforeStart, GoesToStandardErrorFromInfoUpwards) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        debug("left out");
        info("seen");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^[0-9][0-9]:[0-9][0-9]:[0-9][0-9] seen\n$");
}

TEST(LogFile, LosesNoLineWhenTheProcessIsKilled) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "log";
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(
      {
        start({.file = file});
        info("the last words");
        raise(SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "the last words");
  EXPECT_THAT(contents_of(file), testing::EndsWith(": the last words\n"));
}

TEST(LogLevel, IsReadFromText) {
  for (const Level level : {Level::kDebug, Level::kInfo, Level::kWarn, Level::kError}) {
    EXPECT_EQ(level_from_text(level_name(level)), level);
  }
}

TEST(LogLevel, RejectsOtherTexts) {
  for (const char* text : {"", "INFO", "warning", "3"}) {
    try {
      level_from_text(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kConfig);
      EXPECT_THAT(error.what(), testing::HasSubstr("fix: use debug, info, warn or error"));
    }
  }
}

}  // namespace
}  // namespace base::log
