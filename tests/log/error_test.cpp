#include "base/log/error.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/progress_bar.h"
#include "tests/log/pseudo_terminal.h"
#include "tests/log/screen.h"
#include "tests/support/temporary_folder.h"

namespace base {
namespace {

const std::string kReport =
    "  fix: this is a defect of the program: please report it, with this text and the command line";

TEST(ErrorKinds, AreListedInTheOrderOfTheirEnum) {
  for (std::size_t i = 0; i < error_kinds().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(error_kinds()[i].kind), i);
    EXPECT_EQ(&info(error_kinds()[i].kind), &error_kinds()[i]);
  }
}

TEST(ErrorKinds, HaveNamesAndExitCodesOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<int> codes;
  for (const ErrorKindInfo& kind : error_kinds()) {
    names.insert(kind.name);
    codes.insert(kind.exit_code);
  }
  EXPECT_EQ(names.size(), error_kinds().size());
  EXPECT_EQ(codes.size(), error_kinds().size());
}

TEST(ErrorKinds, KeepClearOfSuccessPreemptionAndTheShellsCodes) {
  for (const ErrorKindInfo& kind : error_kinds()) {
    EXPECT_GT(kind.exit_code, 0) << kind.name;
    EXPECT_NE(kind.exit_code, 75) << kind.name;
    EXPECT_LT(kind.exit_code, 126) << kind.name;
  }
}

TEST(ErrorKinds, AreWhatTheDocumentationSays) {
  std::string table = "| exit code | kind | meaning |\n| --- | --- | --- |\n";
  for (const ErrorKindInfo& kind : error_kinds()) {
    table += format("| {} | {} | {} |\n", kind.exit_code, kind.name, kind.meaning);
  }
  const std::string page = contents_of(TEST_SOURCE_DIR "/../docs/errors.md");
  EXPECT_NE(page.find("\n\n" + table + "\n"), std::string::npos) << "docs/errors.md should contain\n" << table;
}

TEST(Error, SaysItsKindTheValueAndTheFix) {
  for (const ErrorKindInfo& kind : error_kinds()) {
    const Error error(kind.kind, "the file is too short", "a.bin", "copy it again");
    std::string expected = std::string(kind.name) + " error: the file is too short: a.bin\n  fix: copy it again";
    if (kind.kind == ErrorKind::kInternal) expected += "\n" + kReport;
    EXPECT_EQ(error.what(), expected);
    EXPECT_EQ(error.kind(), kind.kind);
    EXPECT_EQ(error.exit_code(), kind.exit_code);
  }
}

TEST(Error, LeavesOutAnEmptyValueOrFix) {
  EXPECT_STREQ(Error(ErrorKind::kUsage, "no command", "", "").what(), "usage error: no command");
  EXPECT_STREQ(Error(ErrorKind::kUsage, "no command", "", "add one").what(), "usage error: no command\n  fix: add one");
  EXPECT_STREQ(Error(ErrorKind::kUsage, "no command", "x", "").what(), "usage error: no command: x");
}

TEST(Error, OfTheInternalKindAsksToBeReported) {
  EXPECT_EQ(Error(ErrorKind::kInternal, "a lock is held", "", "").what(), "internal error: a lock is held\n" + kReport);
}

/// run_main() before a terminal: what it returns and what is seen.
class RunMain : public testing::Test {
 protected:
  int run(const std::function<int()>& body) {
    log::start({.console = &console_});
    const int code = run_main(body);
    log::stop();
    return code;
  }
  PseudoTerminal terminal_{100};
  Console console_{terminal_.descriptor(), at_a_terminal()};
};

TEST_F(RunMain, ReturnsWhatTheBodyReturns) {
  EXPECT_EQ(run([] { return 42; }), 42);
  EXPECT_EQ(terminal_.output(), "");
}

TEST_F(RunMain, TurnsEachKindOfErrorIntoItsExitCode) {
  for (const ErrorKindInfo& kind : error_kinds()) {
    EXPECT_EQ(run([&]() -> int { throw Error(kind.kind, "what", "value", "fix"); }), kind.exit_code);
  }
}

TEST_F(RunMain, ColorsTheWordErrorOnATerminal) {
  run([]() -> int { throw Error(ErrorKind::kData, "no such file", "a.csv", "check the name"); });
  EXPECT_EQ(terminal_.output(), "data \x1b[31merror\x1b[0m: no such file: a.csv\n  fix: check the name\n");
}

TEST_F(RunMain, TakesOtherExceptionsForInternalErrors) {
  EXPECT_EQ(run([]() -> int { throw std::runtime_error("a lock is held"); }), 1);
  EXPECT_EQ(run([]() -> int { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(run([]() -> int { throw 7; }), 1);
  const std::vector<std::string> expected{"internal error: a lock is held",
                                          kReport,
                                          "internal error: std::bad_alloc",
                                          kReport,
                                          "internal error: an exception of unknown type",
                                          kReport,
                                          ""};
  EXPECT_EQ(Screen(100, terminal_.output()).lines(), expected);
}

TEST_F(RunMain, TakesAProgressBarAwayBeforeItPrints) {
  auto now = std::chrono::steady_clock::time_point{};
  run([&]() -> int {
    ProgressBar bar({.label = "training", .total = 400, .console = &console_, .clock = [&] { return now; }});
    bar.advance(120);
    now += std::chrono::seconds(10);
    throw Error(ErrorKind::kData, "no such file", "a.csv", "check the name");
  });
  const std::vector<std::string> expected{"training: stopped at 120/400 (30%) after 0:10",
                                          "data error: no such file: a.csv", "  fix: check the name", ""};
  EXPECT_EQ(Screen(100, terminal_.output()).lines(), expected);
}

TEST_F(RunMain, TakesAForgottenStatusLineAwayBeforeItPrints) {
  run([&]() -> int {
    console_.show_status("a status that nobody ends");
    throw Error(ErrorKind::kUsage, "no command", "", "");
  });
  EXPECT_EQ(Screen(100, terminal_.output()).lines(), (std::vector<std::string>{"usage error: no command", ""}));
}

TEST_F(RunMain, DoesNotLetAValueDriveTheTerminal) {
  run([]() -> int { throw Error(ErrorKind::kData, "no such file", "\x1b]0;pwned\x07.csv", ""); });
  EXPECT_EQ(Screen(100, terminal_.output()).lines().front(), "data error: no such file: \\x1b]0;pwned\\x07.csv");
}

TEST(RunMainAtExit, PrintsToStandardErrorAndEndsTheProcessWithTheCode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(run_main([]() -> int { throw Error(ErrorKind::kExport, "no model", "x", "y"); })),
              testing::ExitedWithCode(8), "^export error: no model: x\n  fix: y\n$");
}

}  // namespace
}  // namespace base
