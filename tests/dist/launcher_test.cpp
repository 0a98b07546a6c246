#include "base/dist/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/dist/launch_run.h"
#include "tests/log/pseudo_terminal.h"

namespace base {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Lines = std::vector<std::string>;

TEST(Launch, TellsEachRankItsPlace) {
  LaunchRun run(R"(echo "$RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $GROUP_RANK $MASTER_ADDR" \
                        "$TORCHELASTIC_RESTART_COUNT $TORCHELASTIC_MAX_RESTARTS $OMP_NUM_THREADS $1" >place-$RANK
                   echo $MASTER_PORT >port-$RANK)");
  EXPECT_EQ(run.run({"--ranks", "3", "--max_restarts", "2", "--threads", "5", "--", "./rank", "a  b"}), 0);
  EXPECT_EQ(run.folder().read("place-0"), "0 0 3 3 0 127.0.0.1 0 2 5 a  b\n");
  EXPECT_EQ(run.folder().read("place-1"), "1 1 3 3 0 127.0.0.1 0 2 5 a  b\n");
  EXPECT_EQ(run.folder().read("place-2"), "2 2 3 3 0 127.0.0.1 0 2 5 a  b\n");
  EXPECT_EQ(run.folder().read("port-0"), run.folder().read("port-2"));
  EXPECT_EQ(run.errors(), "");
}

TEST(Launch, OfOneMachineOfSeveralKnowsItsPlace) {
  LaunchRun run("echo $RANK $LOCAL_RANK $WORLD_SIZE $MASTER_ADDR:$MASTER_PORT $SCAFFOLD_LISTEN_FD >place-$RANK");
  EXPECT_EQ(run.run({}, {{"PET_NNODES", "2"},
                         {"PET_NPROC_PER_NODE", "2"},
                         {"PET_NODE_RANK", "1"},
                         {"PET_MASTER_ADDR", "node0"},
                         {"PET_MASTER_PORT", "29400"}}),
            0);
  EXPECT_EQ(run.folder().read("place-2"), "2 0 4 node0:29400\n");
  EXPECT_EQ(run.folder().read("place-3"), "3 1 4 node0:29400\n");
}

TEST(Launch, GivesTheFirstRankASocketThatListensAlready) {
  // The other rank connects before the first one could have done anything about it.
  LaunchRun run(R"(if [ $RANK = 0 ]; then
                     read -r go <connected
                     readlink /proc/$$/fd/$SCAFFOLD_LISTEN_FD >socket
                   else
                     [ -z "$SCAFFOLD_LISTEN_FD" ] || exit 1
                     exec 5<>/dev/tcp/$MASTER_ADDR/$MASTER_PORT || exit 1
                     echo yes >connected
                   fi)");
  run.make_pipe("connected");
  EXPECT_EQ(run.run({"--ranks", "2"}), 0) << run.errors();
  EXPECT_THAT(run.folder().read("socket"), StartsWith("socket:"));
}

TEST(Launch, OfTwoJobsAtATimeHasTwoPorts) {
  const char* script = "echo $MASTER_PORT >port; read -r go <end";
  LaunchRun a(script);
  LaunchRun b(script);
  for (LaunchRun* run : {&a, &b}) {
    run->make_pipe("port");
    run->make_pipe("end");
    run->start({"--ranks", "1"});
  }
  EXPECT_NE(a.line_from("port"), b.line_from("port"));
  for (LaunchRun* run : {&a, &b}) {
    run->release("end");
    EXPECT_EQ(run->wait(), 0);
  }
}

TEST(Launch, LeavesNoDescriptorOfItsOwnToTheRanks) {
  // 255 is bash's, for its script.
  LaunchRun run(R"(for file in /proc/$$/fd/*; do
                     number=${file##*/}
                     [ $number -le 2 ] || [ $number = 255 ] || [ "$number" = "$SCAFFOLD_LISTEN_FD" ] && continue
                     [ -L $file ] && left="$left $number"
                   done
                   echo "$(readlink /proc/$$/fd/0)$left" >left-$RANK)");
  EXPECT_EQ(run.run({"--ranks", "2"}), 0);
  EXPECT_EQ(run.folder().read("left-0"), "/dev/null\n");
  EXPECT_EQ(run.folder().read("left-1"), "/dev/null\n");
}

TEST(Launch, EndsTheOthersWhenARankFails) {
  LaunchRun run(R"([ $RANK = 1 ] || exec sleep infinity
                   echo "data error: no such file" >&2
                   exit 5)");
  EXPECT_EQ(run.run({"--ranks", "3"}), 5);
  EXPECT_EQ(run.errors(), "[1/3] data error: no such file\nerror: rank 1 ended with exit code 5\n");
}

TEST(Launch, SaysWhichSignalEndedARank) {
  LaunchRun run("[ $RANK = 2 ] && kill -SEGV $$; exec sleep infinity");
  EXPECT_EQ(run.run({"--ranks", "3"}), 128 + SIGSEGV);
  EXPECT_EQ(run.errors(), "error: rank 2 was ended by SIGSEGV\n");
}

/// Ranks that end when they are told to, each with its code.
constexpr const char* kEnds = R"(echo $$ >pid-$RANK
read -r go <end-$RANK
echo "config error: no such key" >&2
exit $((${1:-8} + ${2:-0} * RANK)))";

void make_ends(const LaunchRun& run) {
  for (const char* name : {"pid-0", "pid-1", "end-0", "end-1"}) run.make_pipe(name);
}

/// Starts two of them, and lets the second one end first, before the launcher sees anything of it.
void end_second_first(LaunchRun& run, const std::vector<std::string>& command) {
  make_ends(run);
  run.start(command);
  const std::string first = run.line_from("pid-0");
  const std::string second = run.line_from("pid-1");
  run.put_to_sleep();
  run.let_end("end-1", second);
  run.let_end("end-0", first);
  run.wake();
}

TEST(Launch, ReturnsTheCodeOfTheFirstThatFails) {
  LaunchRun run(kEnds);
  end_second_first(run, {"--ranks", "2", "--", "./rank", "8", "1"});
  EXPECT_EQ(run.wait(), 9);
  EXPECT_EQ(run.errors(), "[1/2] config error: no such key\nerror: rank 1 ended with exit code 9\n");
}

TEST(Launch, StartsAllRanksAgain) {
  LaunchRun run(R"(echo "$RANK $TORCHELASTIC_RESTART_COUNT" >>starts-$RANK
                   echo "$SCAFFOLD_LAUNCH" >launch-$TORCHELASTIC_RESTART_COUNT
                   if [ $RANK = 0 ]; then
                     [ $TORCHELASTIC_RESTART_COUNT = 2 ] && exit 0
                     kill -KILL $$
                   fi
                   [ $TORCHELASTIC_RESTART_COUNT = 2 ] || exec sleep infinity)");
  EXPECT_EQ(run.run({"--ranks", "2", "--max_restarts", "3"}), 0);
  EXPECT_EQ(run.errors(),
            "warn: rank 0 was ended by SIGKILL; restart 1 of 3\nwarn: rank 0 was ended by SIGKILL; restart 2 of 3\n");
  EXPECT_EQ(run.folder().read("starts-0"), "0 0\n0 1\n0 2\n");
  const std::string launch = run.folder().read("launch-0");
  EXPECT_THAT(launch, testing::MatchesRegex("[0-9]+-[0-9]+_[0-9a-f]+\n"));
  EXPECT_EQ(run.folder().read("launch-2"), launch);
}

TEST(Launch, GivesUpAfterTheLastRestart) {
  LaunchRun run("echo again >>starts; exit 6");
  EXPECT_EQ(run.run({"--ranks", "1", "--max_restarts", "1"}), 6);
  EXPECT_EQ(run.errors(),
            "warn: rank 0 ended with exit code 6; restart 1 of 1\nerror: rank 0 ended with exit code 6\n");
  EXPECT_EQ(run.folder().read("starts"), "again\nagain\n");
}

TEST(Launch, DoesNotStartAgainWhatWouldFailAgain) {
  for (const int code : {3, 4}) {
    LaunchRun run("echo once >>starts; exit " + std::to_string(code));
    EXPECT_EQ(run.run({"--ranks", "1", "--max_restarts", "5"}), code);
    EXPECT_EQ(run.folder().read("starts"), "once\n");
    EXPECT_EQ(run.errors(), "error: rank 0 ended with exit code " + std::to_string(code) + "\n");
  }
}

TEST(Launch, LetsTheOthersSaveWhenARankHasStopped) {
  // Rank 0 is still writing when rank 1 is gone.
  LaunchRun run(R"(if [ $RANK = 1 ]; then exec 9>alive; exit 75; fi
                   read -r go <alive
                   echo saved >checkpoint
                   exit 75)");
  run.make_pipe("alive");
  EXPECT_EQ(run.run({"--ranks", "2", "--max_restarts", "5"}), 75);
  EXPECT_EQ(run.folder().read("checkpoint"), "saved\n");
  EXPECT_EQ(run.errors(), "");
}

TEST(Launch, KeepsWhatEachRankPrintsInAFile) {
  LaunchRun run(R"(echo $$ >pid-$RANK; echo "one $RANK"; echo "two $RANK" >&2; printf 'no newline'
                   read -r go <end-$RANK)");
  for (const char* name : {"end-0", "end-1"}) run.make_pipe(name);
  run.start({"--ranks", "2", "--logs", "deep/logs"});
  run.wait_for("[0/2] two 0\n");  // all are started before anything is shown
  run.wait_for("[1/2] two 1\n");
  EXPECT_EQ(run.folder().read("deep/logs/rank-0.pid"), run.folder().read("pid-0"));
  EXPECT_EQ(run.folder().read("deep/logs/rank-1.pid"), run.folder().read("pid-1"));
  run.release("end-0");
  run.release("end-1");
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(run.folder().read("deep/logs/rank-1.out"), "one 1\ntwo 1\nno newline");
  EXPECT_FALSE(std::filesystem::exists(run.folder() / "deep/logs/rank-1.pid"));
  EXPECT_EQ(run.output(), "[0/2] one 0\n[0/2] no newline\n");
  EXPECT_EQ(run.error_lines(), (Lines{"[0/2] two 0", "[1/2] no newline", "[1/2] one 1", "[1/2] two 1"}));
}

TEST(Launch, ShowsTheOtherRanksWhileTheyRun) {
  LaunchRun run("[ $RANK = 0 ] || echo hello >&2; read -r go <end-$RANK");
  run.make_pipe("end-0");
  run.make_pipe("end-1");
  run.start({"--ranks", "2"});
  run.wait_for("[1/2] hello\n");
  run.release("end-0");
  run.release("end-1");
  EXPECT_EQ(run.wait(), 0);
}

TEST(Launch, TellsAMistakeOfAllRanksOnce) {
  LaunchRun run(R"(echo "config error: unknown key: widht" >&2; exit 4)");
  EXPECT_EQ(run.run({"--ranks", "8"}), 4);
  const Lines lines = run.error_lines();
  ASSERT_EQ(lines.size(), 2u) << run.errors();
  EXPECT_THAT(lines[0], HasSubstr("/8] config error: unknown key: widht"));
  EXPECT_THAT(lines[1], HasSubstr(" ended with exit code 4"));
}

TEST(Launch, KnowsTheRankThatALogShows) {
  LaunchRun run(R"(echo "12:34:56 [$RANK/2] hello" >&2
                   echo "[$RANK/2] data error: not there" >&2
                   exit 5)");
  EXPECT_EQ(run.run({"--ranks", "2"}), 5);
  const Lines lines = run.error_lines();
  ASSERT_EQ(lines.size(), 3u) << run.errors();  // of one rank, though both say so
  EXPECT_THAT(lines, Contains(AnyOf("[0/2] 12:34:56 hello", "[1/2] 12:34:56 hello")));
  EXPECT_THAT(lines, Contains(AnyOf("[0/2] data error: not there", "[1/2] data error: not there")));
}

TEST(Launch, DropsWhatTheOthersSayOfAFailure) {
  // Rank 2 hears that rank 1 is gone, and complains in vain.
  LaunchRun run(R"(if [ $RANK = 1 ]; then
                     exec 9>alive
                     echo "training error: the loss is not a number" >&2
                     read -r go <said
                     exit 10
                   fi
                   [ $RANK = 0 ] && exec sleep infinity
                   exec 9<alive
                   echo "the connection to rank 1 is slow" >&2
                   echo yes >said
                   read -r go <&9
                   echo "distributed error: rank 1 is gone" >&2
                   exec sleep infinity)");
  run.make_pipe("alive");
  run.make_pipe("said");
  EXPECT_EQ(run.run({"--ranks", "3"}), 10);
  EXPECT_THAT(run.errors(), HasSubstr("[1/3] training error: the loss is not a number\n"));
  EXPECT_THAT(run.errors(), Not(HasSubstr("rank 1 is gone")));
  EXPECT_THAT(run.folder().read("runlogs/rank-2.out"), StartsWith("the connection to rank 1 is slow\n"));
}

TEST(Launch, PassesLongLinesOn) {
  LaunchRun run("head -c 200000 /dev/zero | tr '\\0' x; echo; echo end");
  EXPECT_EQ(run.run({"--ranks", "1"}), 0);
  EXPECT_EQ(run.folder().read("runlogs/rank-0.out"), std::string(200000, 'x') + "\nend\n");
  EXPECT_THAT(run.output(), HasSubstr("\n[0/1] end\n"));
}

TEST(Launch, LeavesTheTerminalToTheFirstRank) {
  PseudoTerminal terminal;
  LaunchRun run("[ -t 2 ] && echo \"rank $RANK has a terminal\" >&2 || echo \"rank $RANK has none\" >&2",
                terminal.descriptor());
  EXPECT_EQ(run.run({"--ranks", "2"}, {{"TERM", "xterm"}, {"CI", ""}}), 0);
  EXPECT_THAT(terminal.output(), HasSubstr("rank 0 has a terminal\n"));
  EXPECT_THAT(terminal.output(), Not(HasSubstr("[0/2] ")));
  EXPECT_THAT(terminal.output(), HasSubstr("\r\x1b[K[1/2] rank 1 has none\n"));  // a progress bar may have been there
}

TEST(Launch, TellsAMistakeOfAllRanksOnceOnATerminalToo) {
  PseudoTerminal terminal;
  LaunchRun run(kEnds, terminal.descriptor());
  end_second_first(run, {"--ranks", "2", "--", "./rank", "4"});
  EXPECT_EQ(run.wait(), 4);
  EXPECT_THAT(terminal.output(), StartsWith("config error: no such key\n"));
  EXPECT_THAT(terminal.output(), Not(HasSubstr("[1/2]")));
  EXPECT_THAT(terminal.output(), HasSubstr("rank 1 ended with exit code 4\n"));
}

TEST(Launch, GoesOnWhenNobodyReadsWhatItSays) {
  LaunchRun run("read -r go <end-$RANK; echo text >&2; echo done >done-$RANK");
  run.make_pipe("end-0");
  run.make_pipe("end-1");
  run.start({"--ranks", "2"});
  run.hang_up();
  run.release("end-0");
  run.release("end-1");
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(run.folder().read("done-0"), "done\n");
  EXPECT_EQ(run.folder().read("done-1"), "done\n");
}

TEST(Launch, OfAProgramThatCannotBeStartedIsAnError) {
  const std::string fix = "\n  fix: give the path of a program, as in launch_ranks --ranks 2 -- ./train\n";
  LaunchRun run("");
  run.folder().write("text", "no program");
  for (const auto& [program, reason] : {std::pair{"./trian", "No such file or directory"},
                                        {"no_such_program", "No such file or directory"},
                                        {"./text", "Permission denied"},
                                        {"/", "Permission denied"}}) {
    EXPECT_EQ(run.run({"--ranks", "2", "--", program}), 3);
    EXPECT_EQ(run.errors(),
              std::string("usage error: the program cannot be started: ") + program + " (" + reason + ")" + fix);
  }
  EXPECT_EQ(run.run({"--ranks", "2", "--"}), 3);
  EXPECT_EQ(run.errors(),
            "usage error: no program to start\n  fix: give one, as in launch_ranks --ranks 2 -- ./train\n");
}

TEST(Launch, OfLogsThatCannotBeWrittenStartsNothing) {
  LaunchRun run("echo started >started");
  run.folder().write("file", "");
  EXPECT_EQ(run.run({"--ranks", "2", "--logs", "file/logs"}), 3);
  EXPECT_EQ(run.errors(),
            "usage error: the output of the ranks cannot be written: file/logs (Not a directory)\n"
            "  fix: give another folder with --logs\n");
  run.folder().write("logs/rank-1.out/full", "");
  EXPECT_EQ(run.run({"--ranks", "2", "--logs", "logs"}), 3);
  EXPECT_EQ(run.errors(),
            "usage error: the output of the ranks cannot be written: logs/rank-1.out (Is a directory)\n"
            "  fix: give another folder with --logs\n");
  EXPECT_EQ(run.folder().read("started"), "");
}

TEST(Launch, LeavesTheSettingsOfTheProgramToTheProgram) {
  LaunchRun run("echo $SCAFFOLD_SET_EPOCHS \"$@\" >given");
  EXPECT_EQ(run.run({"--ranks", "1", "--", "./rank", "--ranks", "--", "x"}, {{"SCAFFOLD_SET_EPOCHS", "3"}}), 0);
  EXPECT_EQ(run.folder().read("given"), "3 --ranks -- x\n");
}

}  // namespace
}  // namespace base
