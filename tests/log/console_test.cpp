#include "base/log/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/log/format.h"
#include "tests/log/pseudo_terminal.h"
#include "tests/log/screen.h"

namespace base {
namespace {

/// A pipe, as in `program | cat`.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    hang_up();
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int descriptor() const { return ends_[1]; }
  void hang_up() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  /// Up to `count` bytes; blocks until there is one.
  std::string read(std::size_t count) {
    std::string bytes(count, '\0');
    const ssize_t got = ::read(ends_[0], bytes.data(), count);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

struct Look {
  bool is_terminal, redraws, has_color, has_unicode;
  bool operator==(const Look&) const = default;
};

Look look_at(int descriptor, const Console::Environment& environment) {
  const Console console(descriptor, environment);
  return {console.is_terminal(), console.redraws(), console.has_color(), console.has_unicode()};
}

TEST(Console, LooksItsBestOnATerminal) {
  PseudoTerminal terminal;
  EXPECT_EQ(look_at(terminal.descriptor(), at_a_terminal()), (Look{true, true, true, true}));
}

TEST(Console, IsPlainInAPipe) {
  Pipe pipe;
  EXPECT_EQ(look_at(pipe.descriptor(), at_a_terminal()), (Look{false, false, false, true}));
}

TEST(Console, IsPlainOnATerminalThatCanDoNothing) {
  PseudoTerminal terminal;
  EXPECT_EQ(look_at(terminal.descriptor(), {.term = "dumb"}), (Look{false, false, false, false}));
  EXPECT_EQ(look_at(terminal.descriptor(), {.term = ""}), (Look{false, false, false, false}));
}

TEST(Console, RedrawsWithoutColorsUnderNoColor) {
  PseudoTerminal terminal;
  EXPECT_EQ(look_at(terminal.descriptor(), {.term = "xterm", .no_color = "1"}), (Look{true, true, false, false}));
  EXPECT_EQ(look_at(terminal.descriptor(), {.term = "xterm", .no_color = "0"}), (Look{true, true, false, false}));
}

TEST(Console, NeitherRedrawsNorColorsInCi) {
  PseudoTerminal terminal;
  EXPECT_EQ(look_at(terminal.descriptor(), {.term = "xterm", .ci = "true"}), (Look{true, false, false, false}));
  EXPECT_EQ(look_at(terminal.descriptor(), {.term = "xterm", .ci = "false"}), (Look{true, true, true, false}));
}

TEST(Console, ExpectsUnicodeFromTheLocaleButNotOfTheLinuxConsole) {
  PseudoTerminal terminal;
  for (const char* locale : {"de_DE.UTF-8", "C.utf8", "en_US.utf-8@euro"}) {
    EXPECT_TRUE(look_at(terminal.descriptor(), {.term = "xterm", .locale = locale}).has_unicode) << locale;
    EXPECT_FALSE(look_at(terminal.descriptor(), {.term = "linux", .locale = locale}).has_unicode) << locale;
  }
  for (const char* locale : {"", "C", "POSIX", "de_DE.ISO-8859-1"}) {
    EXPECT_FALSE(look_at(terminal.descriptor(), {.term = "xterm", .locale = locale}).has_unicode) << locale;
  }
}

TEST(Console, FollowsTheWidthOfItsTerminal) {
  PseudoTerminal terminal(100);
  const Console console(terminal.descriptor(), {.term = "xterm", .columns = "50"});
  EXPECT_EQ(console.width(), 100);
  terminal.resize(33);
  EXPECT_EQ(console.width(), 33);
}

TEST(Console, TakesTheWidthFromTheEnvironmentIfTheTerminalDoesNotTell) {
  PseudoTerminal terminal(0);
  EXPECT_EQ(Console(terminal.descriptor(), {.term = "xterm", .columns = "50"}).width(), 50);
  for (const char* nonsense : {"", "0", "-3", "wide", "99999999999999999999"}) {
    EXPECT_EQ(Console(terminal.descriptor(), {.term = "xterm", .columns = nonsense}).width(), 80) << nonsense;
  }
}

TEST(Console, ColorsPiecesOnATerminalOnly) {
  PseudoTerminal terminal;
  Console(terminal.descriptor(), at_a_terminal()).write_line({{"warn", Color::kYellow}, {": text"}});
  EXPECT_EQ(terminal.output(), "\x1b[33mwarn\x1b[0m: text\n");

  Pipe pipe;
  Console(pipe.descriptor(), at_a_terminal()).write_line({{"warn", Color::kYellow}, {": text"}});
  EXPECT_EQ(pipe.read(100), "warn: text\n");
}

TEST(Console, PutsTheStatusLineBackBelowALogLine) {
  PseudoTerminal terminal;
  Console console(terminal.descriptor(), at_a_terminal());
  console.show_status("status 1");
  console.show_status("status 2");
  console.write_line("a line");
  console.end_status();
  console.write_line("another");
  EXPECT_EQ(terminal.output(),
            "\rstatus 1\x1b[K"
            "\rstatus 2\x1b[K"
            "\r\x1b[Ka line\nstatus 2"
            "\r\x1b[K"
            "another\n");
  EXPECT_EQ(Screen(80, terminal.output()).lines(), (std::vector<std::string>{"a line", "another", ""}));
}

TEST(Console, LeavesALineInPlaceOfTheStatus) {
  PseudoTerminal terminal;
  Console console(terminal.descriptor(), at_a_terminal());
  console.show_status("a long status line");
  console.end_status("over");
  console.end_status();
  EXPECT_EQ(Screen(80, terminal.output()).lines(), (std::vector<std::string>{"over", ""}));
}

TEST(Console, CutsTheStatusLineToAWidthThatChanges) {
  PseudoTerminal terminal(10);
  Console console(terminal.descriptor(), at_a_terminal());
  console.show_status("0123456789abcdef");
  terminal.resize(5);
  console.write_line("line");
  EXPECT_EQ(terminal.output(), "\r012345678\x1b[K\r\x1b[Kline\n0123");
}

TEST(Console, ShowsNoStatusInAPipeOrInCi) {
  Pipe pipe;
  Console piped(pipe.descriptor(), at_a_terminal());
  piped.show_status("status");
  piped.write_line("line");
  piped.end_status("over");
  EXPECT_EQ(pipe.read(100), "line\nover\n");

  PseudoTerminal terminal;
  Console in_ci(terminal.descriptor(), {.term = "xterm", .ci = "1"});
  in_ci.show_status("status");
  in_ci.write_line("line");
  EXPECT_EQ(terminal.output(), "line\n");
}

TEST(Console, DoesNotLetTextDriveTheTerminal) {
  EXPECT_TRUE(rc::check("for any bytes", [](const std::string& bytes) {
    PseudoTerminal terminal;
    Console console(terminal.descriptor(), {.term = "xterm", .no_color = "1"});
    console.write_line({{bytes, Color::kRed}});
    RC_ASSERT(terminal.output().find_first_of("\x1b\r\b\x07") == std::string::npos);
  }));
}

TEST(Console, SurvivesAReaderThatHangsUp) {
  Pipe pipe;
  Console console(pipe.descriptor(), at_a_terminal());
  console.write_line("read");
  pipe.hang_up();
  console.write_line("lost");  // would end the process by SIGPIPE
  console.write_line("lost too");
  sigset_t pending;
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
}

TEST(Console, SurvivesAClosedDescriptor) {
  Pipe pipe;
  const int descriptor = dup(pipe.descriptor());
  Console console(descriptor, at_a_terminal());
  close(descriptor);
  console.write_line("lost");
}

TEST(Console, WritesALongLineWholeThroughSignalsAndAFullPipe) {
  Pipe pipe;
  ASSERT_EQ(fcntl(pipe.descriptor(), F_SETFL, O_NONBLOCK), 0);
  struct sigaction on_alarm {};
  on_alarm.sa_handler = [](int) {};  // and no SA_RESTART: write(2) returns EINTR
  struct sigaction before {};
  sigaction(SIGALRM, &on_alarm, &before);
  const itimerval every_millisecond{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every_millisecond, nullptr);

  const std::string line(300'000, 'x');
  std::thread writer([&] { Console(pipe.descriptor(), at_a_terminal()).write_line(line); });
  std::string received;
  while (!received.ends_with('\n')) received += pipe.read(10'000);
  writer.join();
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(received == line + "\n") << received.size();
}

TEST(Console, KeepsTheLinesOfSeveralThreadsApart) {
  constexpr int kThreads = 4, kLines = 200;
  PseudoTerminal terminal(60);
  Console console(terminal.descriptor(), at_a_terminal());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int line = 0; line < kLines; ++line) {
        console.show_status(format("status {} {}", thread, line));
        console.write_line({{"thread", Color::kGreen}, {format(" {} line {}", thread, line)}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  console.end_status();

  const std::vector<std::string> lines = Screen(60, terminal.output()).lines();
  std::set<std::string> expected{""};
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int line = 0; line < kLines; ++line) expected.insert(format("thread {} line {}", thread, line));
  }
  EXPECT_EQ(lines.size(), expected.size());
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()), expected);
}

}  // namespace
}  // namespace base
