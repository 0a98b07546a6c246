#include "generator/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>

namespace generator {
namespace {

using namespace std::chrono_literals;

ProcessResult shell(const std::string& script, const ProcessLimits& limits = {}) {
  return run_process({"/bin/sh", "-c", script}, limits);
}

TEST(RunProcess, GivesWhatTheProgramPrints) {
  const ProcessResult result = run_process({"/bin/echo", "one argument; with $HOME and `quotes`", "two"});
  EXPECT_EQ(result.output, "one argument; with $HOME and `quotes` two\n");
  EXPECT_EQ(result.failure, "");
}

TEST(RunProcess, KeepsBytesAsTheyAre) {
  EXPECT_EQ(shell("printf 'a\\000b\\377'").output, std::string("a\0b\xff", 4));
}

TEST(RunProcess, KeepsStandardErrorApartAndGivesNoInput) {
  const ProcessResult result = shell("echo complaint >&2; cat; echo answer");
  EXPECT_EQ(result.output, "answer\n");
  EXPECT_EQ(result.complaint, "complaint\n");
}

TEST(RunProcess, GivesTheInputAndTheEnvironmentThatWereAskedFor) {
  const std::string input(300'000, 'x');  // more than a pipe holds
  EXPECT_EQ(run_process({"/bin/cat"}, {}, {.input = input}).output, input);
  EXPECT_EQ(run_process({"/usr/bin/env"}, {}, {.environment = {{"A=1", "B=2"}}}).output, "A=1\nB=2\n");
}

TEST(RunProcess, DoesNotWaitLongerThanTheProgramRuns) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) run_process({"/bin/true"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
}

TEST(RunProcess, TellsHowItEnded) {
  EXPECT_EQ(shell("echo half; exit 3").failure, "exit code 3");
  EXPECT_EQ(shell("echo half; exit 3").output, "half\n");
  EXPECT_EQ(shell("echo half; exit 3").exit_code, 3);
  EXPECT_EQ(shell("kill -9 $$").exit_code, -1);
  EXPECT_EQ(shell("kill -9 $$").failure, "ended by signal 9");
}

TEST(RunProcess, TellsThatThereIsNoSuchProgram) {
  EXPECT_EQ(run_process({"/no/such/program"}).failure, "cannot be started (No such file or directory)");
  EXPECT_EQ(run_process({"/etc/passwd"}).failure, "cannot be started (Permission denied)");
}

TEST(RunProcess, KillsAProgramThatDoesNotAnswer) {
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result = run_process({"/bin/sleep", "60"}, {.time = 200ms});
  EXPECT_EQ(result.failure, "no answer in 0.2 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunProcess, KillsAProgramThatPrintsWithoutEnd) {
  const ProcessResult result = shell("while :; do echo again; done", {.output = 10'000});
  EXPECT_EQ(result.failure, "more than 10000 bytes of output");
  EXPECT_LT(result.output.size(), 20'000);
}

TEST(RunProcess, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(shell("head -c 500000 /dev/zero").output.size(), 500'000);
}

TEST(RunProcess, DoesNotWaitForAGrandchildThatKeepsThePipe) {
  const ProcessResult result = shell("sleep 20 & echo answer");  // to wait for it would go past the limit of 10 s
  EXPECT_EQ(result.output, "answer\n");
  EXPECT_EQ(result.failure, "");
}

TEST(RunProcess, LeavesNoDescriptorOpen) {
  const int before = open("/dev/null", O_RDONLY);
  close(before);
  shell("echo");
  run_process({"/no/such/program"});
  const int after = open("/dev/null", O_RDONLY);
  close(after);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace generator
