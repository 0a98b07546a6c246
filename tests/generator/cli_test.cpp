#include "generator/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/log/error.h"

namespace generator {
namespace {

Invocation parse_words(const std::vector<const char*>& words) {
  std::vector<const char*> argv{"/usr/local/bin/scaffold"};
  argv.insert(argv.end(), words.begin(), words.end());
  return parse(static_cast<int>(argv.size()), argv.data());
}

/// The whole message of the error that a command line gives.
std::string complaint(const std::vector<const char*>& words) {
  try {
    parse_words(words);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.exit_code(), 3);
    return error.what();
  }
  return "none";
}

TEST(Parse, PrintsTheVersion) {
  EXPECT_EQ(parse_words({"--version"}).command, Command::kPrint);
  EXPECT_THAT(parse_words({"--version"}).text, testing::MatchesRegex("scaffold [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Parse, PrintsHelpWhenAskedAndWhenNotToldWhatToDo) {
  for (const auto& words : std::vector<std::vector<const char*>>{{}, {"--help"}, {"-h"}}) {
    const Invocation invocation = parse_words(words);
    EXPECT_EQ(invocation.command, Command::kPrint);
    EXPECT_THAT(invocation.text, testing::HasSubstr("scaffold [OPTIONS]"));
    EXPECT_THAT(invocation.text, testing::HasSubstr("doctor"));
    EXPECT_FALSE(invocation.text.ends_with('\n'));
  }
}

TEST(Parse, PrintsHelpOnACommand) {
  EXPECT_THAT(parse_words({"doctor", "--help"}).text, testing::HasSubstr("scaffold doctor"));
}

TEST(Parse, KnowsTheDoctor) {
  EXPECT_EQ(parse_words({"doctor"}).command, Command::kDoctor);
}

TEST(Parse, SuggestsTheCommandThatWasMeant) {
  EXPECT_EQ(complaint({"docter"}),
            "usage error: unknown command: docter\n"
            "  fix: did you mean `doctor`? `scaffold --help` lists the commands");
}

TEST(Parse, DoesNotGuessWhereNothingIsNear) {
  EXPECT_EQ(complaint({"train"}),
            "usage error: unknown command: train\n"
            "  fix: `scaffold --help` lists the commands");
}

TEST(Parse, ComplainsAboutOtherWordsByWhatTheyAre) {
  EXPECT_EQ(complaint({"--versoin"}),
            "usage error: unknown option: --versoin\n"
            "  fix: did you mean `--version`? `scaffold --help` lists the commands");
  EXPECT_EQ(complaint({"doctor", "now"}),
            "usage error: unexpected argument: now\n"
            "  fix: `scaffold --help` lists the commands");
  EXPECT_EQ(complaint({"doctor", "--fast"}),
            "usage error: unknown option: --fast\n"
            "  fix: `scaffold --help` lists the commands");
  EXPECT_EQ(complaint({""}), "usage error: unknown command\n  fix: `scaffold --help` lists the commands");
}

}  // namespace
}  // namespace generator
