// A secret's value must not come out anywhere: not in a written file, not in the help, not in any error.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/config/support.h"

namespace {

using config_test::Environment;
using config_test::file_refusal;
using config_test::refusal;

constexpr const char* kSecret = "hunter2";

struct Login {
  std::string token;
  int pin = 0;
  std::vector<std::string> keys;
  std::filesystem::path key_file;
  std::string user = "ada";

  void declare(base::Knobs& knobs) {
    knobs.add("token", token, "access token", {.choices = {"", "right"}, .secret = true});
    knobs.add("pin", pin, "number", {.min = 0, .max = 9999, .secret = true});
    knobs.add("keys", keys, "more of them", {.choices = {"right"}, .secret = true});
    knobs.add("key_file", key_file, "file with a key", {.exists = true, .secret = true});
    knobs.add("user", user, "name");
  }
};

struct RequiredLogin {
  std::string token;
  void declare(base::Knobs& knobs) { knobs.add("token", token, "access token", {.required = true, .secret = true}); }
};

std::string from_variable(const std::string& variable) {
  const Environment environment{variable};
  return refusal<Login>({}, {.environment = environment.block()});
}

TEST(Secret, IsLoadedLikeAnyOtherValue) {
  const Environment environment{"SCAFFOLD_SET_TOKEN=right"};
  EXPECT_EQ(config_test::loaded<Login>({"--token", "right"}).token, "right");
  EXPECT_EQ(config_test::loaded<Login>({}, {.environment = environment.block()}).token, "right");
  EXPECT_EQ(config_test::loaded_file<Login>("token = 'right'").token, "right");
}

TEST(Secret, IsNotInTheMessageForAWrongChoice) {
  const std::string end = "\n  fix: give one of its choices";
  EXPECT_EQ(refusal<Login>({"--token", kSecret}),
            "exit 3, usage error: token is none of its choices: (secret) (--token)" + end);
  EXPECT_EQ(refusal<Login>({"--set", "token=hunter2"}),
            "exit 3, usage error: token is none of its choices: (secret) (--set token)" + end);
  EXPECT_EQ(from_variable("SCAFFOLD_SET_TOKEN=hunter2"),
            "exit 4, config error: token is none of its choices: (secret) (SCAFFOLD_SET_TOKEN)" + end);
  EXPECT_EQ(file_refusal<Login>("token = 'hunter2'"),
            "exit 4, config error: token is none of its choices: (secret) (train.toml:1)" + end);
  EXPECT_EQ(refusal<Login>({"--keys", "right,hunter2"}),
            "exit 3, usage error: keys[1] is none of its choices: (secret) (--keys)\n  fix: give one of its choices");
}

TEST(Secret, IsNotInTheMessageForAWrongTypeOrRange) {
  EXPECT_EQ(
      file_refusal<Login>("token = 123"),
      "exit 4, config error: token expects a text, found (secret) (train.toml:1)\n  fix: give one of its choices");
  EXPECT_EQ(refusal<Login>({"--pin", kSecret}),
            "exit 3, usage error: pin expects an integer, found (secret) (--pin)\n"
            "  fix: give an integer from 0 to 9999");
  EXPECT_EQ(refusal<Login>({"--pin", "12345"}),
            "exit 3, usage error: pin is out of range: (secret) (--pin)\n  fix: give an integer from 0 to 9999");
  EXPECT_EQ(refusal<Login>({"--pin", "99999999999999999999"}),
            "exit 3, usage error: pin is out of range: (secret) (--pin)\n  fix: give an integer from 0 to 9999");
  EXPECT_EQ(refusal<Login>({"--token", "hunter2\xFF"}),
            "exit 3, usage error: token is not valid UTF-8: (secret) (--token)\n  fix: give it in UTF-8");
  EXPECT_EQ(file_refusal<Login>(R"(token = "hunter2\u0000")"),
            "exit 4, config error: token holds a NUL character: (secret) (train.toml:1)\n"
            "  fix: take that character out");
  EXPECT_EQ(refusal<Login>({"--keys", "[hunter2"}),
            "exit 3, usage error: keys expects a list of texts, found (secret) (--keys)\n"
            "  fix: give a list such as a,b or [\"a\", \"b\"]");
  EXPECT_EQ(refusal<Login>({"--key_file", kSecret}),
            "exit 3, usage error: key_file does not exist: (secret) (--key_file)\n  fix: give a path that exists");
  EXPECT_EQ(refusal<Login>({"--key_file", "~/hunter2"}),
            "exit 3, usage error: key_file starts with ~ but HOME is not set: (secret) (--key_file)\n"
            "  fix: set HOME or give the whole path");
}

TEST(Secret, IsNotInAListOfProblems) {
  EXPECT_EQ(refusal<Login>({"--token", kSecret, "--pin", "-1"}), R"(exit 3, usage error: 2 settings are wrong
  - token is none of its choices: (secret) (--token)
    fix: give one of its choices
  - pin is out of range: (secret) (--pin)
    fix: give an integer from 0 to 9999)");
}

TEST(Secret, IsNotShownWhenItsFlagOrVariableIsMisspelt) {
  EXPECT_EQ(refusal<Login>({"--tokn", kSecret}),
            "exit 3, usage error: unknown flag: --tokn\n  fix: did you mean --token? (--help lists all)");
  EXPECT_EQ(refusal<Login>({"--tokn=hunter2"}),
            "exit 3, usage error: unknown flag: --tokn\n  fix: did you mean --token? (--help lists all)");
  EXPECT_EQ(refusal<Login>({"-token", kSecret}),
            "exit 3, usage error: unknown flag: -token\n  fix: did you mean --token? (--help lists all)");
  EXPECT_EQ(refusal<Login>({"--set", "tokn=hunter2"}),
            "exit 3, usage error: unknown setting: tokn (--set tokn)\n  fix: did you mean token? (--help lists all)");
  EXPECT_EQ(from_variable("SCAFFOLD_SET_TOKN=hunter2"),
            "exit 4, config error: unknown variable: SCAFFOLD_SET_TOKN\n"
            "  fix: did you mean SCAFFOLD_SET_TOKEN? (--help lists all)");
  EXPECT_EQ(
      file_refusal<Login>("tokn = 'hunter2'"),
      "exit 4, config error: unknown setting: tokn (train.toml:1)\n  fix: did you mean token? (--help lists all)");
}

TEST(Secret, IsNotShownWhenItLostItsFlag) {
  EXPECT_EQ(refusal<Login>({kSecret}),
            "exit 3, usage error: a word that belongs to no flag: (not shown: it may be a secret)\n"
            "  fix: give settings as --KEY VALUE");
  EXPECT_EQ(refusal<Login>({"--set", kSecret}),
            "exit 3, usage error: --set needs KEY=VALUE, found (not shown: it may be a secret)\n"
            "  fix: put a = between the key and the value");
}

TEST(Secret, IsNotQuotedFromAFileThatIsNotToml) {
  for (const std::string line :
       {"token = hunter2", "token = 'hunter2", "token = 'x'hunter2", "token = 1hunter2",
        "pin = 99999999999999999999999", "token = thunter2", "token = ihunter2", "hunter2", R"(token = "\hunter2")",
        "token : hunter2", "token = 'a'\ntoken = 'hunter2'", "token = 2024-99-99hunter2", "[token]\nhunter2",
        "token = [hunter2", "token = {hunter2"}) {
    const std::string message = file_refusal<Login>(line);
    EXPECT_TRUE(message.starts_with("exit 4, config error: the settings file is not valid TOML: train.toml:")) << line;
    EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
    EXPECT_EQ(message.find("999"), std::string::npos) << message;
    EXPECT_EQ(message.find('\''), std::string::npos) << message;
  }
  EXPECT_EQ(file_refusal<Login>("token = hunter2"),
            "exit 4, config error: the settings file is not valid TOML: train.toml:1:9 (Error while parsing value)\n"
            "  fix: correct it there; remember that a text needs quotes");
}

TEST(Secret, IsMissedByItsName) {
  EXPECT_EQ(refusal<RequiredLogin>({}),
            "exit 4, config error: token is required\n"
            "  fix: give --token TEXT, or token in a settings file, or SCAFFOLD_SET_TOKEN");
  EXPECT_EQ(refusal<RequiredLogin>({"--token="}),
            "exit 3, usage error: token is required but empty (--token)\n"
            "  fix: give --token TEXT, or token in a settings file, or SCAFFOLD_SET_TOKEN");
}

TEST(Secret, IsNotInTheHelp) {
  Login login;
  login.token = "right";
  login.pin = 4321;
  login.keys = {"right"};
  login.key_file = "/tmp";
  const std::string help = base::settings_help(login);
  EXPECT_NE(help.find("access token (one of its choices, secret)\n"), std::string::npos) << help;
  EXPECT_NE(help.find("number (0 to 9999, secret)\n"), std::string::npos) << help;
  EXPECT_NE(help.find("file with a key (must exist, secret)\n"), std::string::npos) << help;
  EXPECT_EQ(help.find("4321"), std::string::npos);
  EXPECT_EQ(help.find("/tmp"), std::string::npos);
}

TEST(Secret, IsNotWrittenBack) {
  Login login;
  const base::Origins origins = config_test::load(login, {"--pin=4321", "--token=right", "--user=bob"});
  const std::string text = base::settings_toml(login, origins);
  EXPECT_EQ(text.find("4321"), std::string::npos);
  EXPECT_EQ(text.find("token ="), std::string::npos);
  EXPECT_NE(text.find("# token is a secret, so it is not written here.\n"), std::string::npos);
  EXPECT_NE(text.find("user = \"bob\"  # from --user\n"), std::string::npos);
  const auto again = config_test::loaded_file<Login>(text);
  EXPECT_EQ(again.token, "");
  EXPECT_EQ(again.pin, 0);
  EXPECT_EQ(again.user, "bob");
}

}  // namespace
