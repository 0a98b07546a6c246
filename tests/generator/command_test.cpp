// The command itself, as a user or a script runs it: one clear error, its exit code, nothing written.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "generator/process.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

class Command : public testing::Test {
 protected:
  /// Runs it in the folder, by way of env(1), which can change to it.
  ProcessResult run(const std::vector<std::string>& arguments, const std::string& folder = ".") {
    std::vector<std::string> argv{"/usr/bin/env", "-C", (folder_ / folder).string(), SCAFFOLD_COMMAND};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_process(argv);
  }

  void expect_refusal(const std::vector<std::string>& arguments, int exit_code, const std::string& message) {
    const std::vector<std::string> before = names_in(folder_.path());
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.complaint;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.complaint, message);
    EXPECT_EQ(names_in(folder_.path()), before);
  }

  base::TemporaryFolder folder_;
};

TEST_F(Command, WritesAProjectWhereNoTerminalIs) {
  const ProcessResult result = run({"new-project", "demo"});
  EXPECT_EQ(result.exit_code, 0) << result.complaint;
  EXPECT_NE(result.output.find(
                " files in demo. Its README.md says how to go on. To begin:\n  cd demo && ./train_local_cpu.sh\n"),
            std::string::npos);
  EXPECT_EQ(result.complaint, "");
  EXPECT_EQ(run({"check"}, "demo").exit_code, 0);
  EXPECT_EQ(run({"check", "--set", "author=Ada", "--set", "licence=MIT"}, "demo").exit_code, 2);
  EXPECT_EQ(run({"add", "callback", "Bell"}, "demo").exit_code, 0);
  EXPECT_EQ(run({"update"}, "demo").output, "Up to date.\n");
  EXPECT_EQ(run({"update", "--set", "author=Ada", "--set", "licence=MIT"}, "demo").exit_code, 3)
      << "the callback is not committed";
}

TEST_F(Command, RefusesBadInputWithItsExitCode) {
  folder_.write("broken.json", "{\n\"task\": }\n");
  folder_.write("set/template.json", "{}");
  expect_refusal({"new-project", "class"}, 3,
                 "usage error: the project's name is a word of C++: class\n  fix: choose another, such as my_class\n");
  expect_refusal({"new-project", "demo", "--task", "regresion"}, 3,
                 "usage error: task: it is not one of the choices: regresion\n  fix: did you mean `regression`?\n");
  expect_refusal({"new-project", "demo", "--set", "taks=empty"}, 3,
                 "usage error: unknown answer: taks\n  fix: did you mean `task`?\n");
  expect_refusal(
      {"new-project", "demo", "--answers", "broken.json"}, 4,
      "config error: broken.json:2: this is not JSON: while parsing value - unexpected '}'; expected '[', '{', or a "
      "literal\n  fix: correct the file\n");
  expect_refusal({"new-project", "demo", "--templates", "set"}, 4,
                 "config error: set/template.json:1: a key is missing: version\n  fix: add it\n");
  expect_refusal(
      {"new-project", "demo", "set"}, 3,
      "usage error: there is something already: set\n  fix: choose another folder; nothing is ever overwritten\n");
  expect_refusal({"new-project"}, 3, "usage error: the project needs a name\n  fix: scaffold new-project NAME\n");
  expect_refusal({"show", "nothing"}, 3,
                 "usage error: unknown task: nothing\n  fix: `scaffold list` lists the tasks\n");
  expect_refusal({"new-porject", "demo"}, 3,
                 "usage error: unknown command: new-porject\n"
                 "  fix: did you mean `new-project`? `scaffold --help` lists the commands\n");
}

TEST_F(Command, OnAProjectNeedsOne) {
  for (const std::string command : {"update", "check", "diff"}) {
    const ProcessResult result = run({command});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(result.complaint.starts_with("usage error: this is no project of scaffold's: ")) << result.complaint;
  }
}

}  // namespace
}  // namespace generator
