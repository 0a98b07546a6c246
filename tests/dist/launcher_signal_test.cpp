#include <gtest/gtest.h>
#include <signal.h>

#include "tests/dist/launch_run.h"

namespace base {
namespace {

/// Ranks that note every signal they get, and stop at it.
constexpr const char* kNotes = R"(for name in TERM INT HUP USR1; do
  trap "echo $name >>signals-$RANK; kill \$!; exit 75" $name
done
sleep infinity &
echo ready >ready-$RANK
wait)";

TEST(Launch, PassesSignalsOnToEveryRankOnce) {
  for (const auto& [signal, name] : {std::pair{SIGTERM, "TERM"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}, {SIGUSR1, "USR1"}}) {
    LaunchRun run(kNotes);
    run.make_pipe("ready-0");
    run.make_pipe("ready-1");
    run.start({"--ranks", "2", "--max_restarts", "5"});
    run.line_from("ready-0");
    run.line_from("ready-1");
    run.send(signal);
    EXPECT_EQ(run.wait(), 75);
    EXPECT_EQ(run.folder().read("signals-0"), std::string(name) + "\n");
    EXPECT_EQ(run.folder().read("signals-1"), std::string(name) + "\n");
  }
}

TEST(Launch, IsDeafToAHangUpWhereItsStarterIs) {
  LaunchRun run("echo ready >ready; read -r go <end");
  run.make_pipe("ready");
  run.make_pipe("end");
  const auto before = signal(SIGHUP, SIG_IGN);  // as nohup does
  run.start({"--ranks", "1"});
  signal(SIGHUP, before);
  run.line_from("ready");
  run.send(SIGHUP);
  run.release("end");
  EXPECT_EQ(run.wait(), 0);
}

TEST(Launch, KeepsItsRanksOutOfTheGroupThatATerminalInterrupts) {
  LaunchRun run("read -r -a stat </proc/$$/stat; echo $(($$ - ${stat[4]})) >group-$RANK");
  EXPECT_EQ(run.run({"--ranks", "2"}), 0);
  EXPECT_EQ(run.folder().read("group-0"), "0\n");
  EXPECT_EQ(run.folder().read("group-1"), "0\n");
}

TEST(Launch, KillsRanksThatDoNotStop) {
  LaunchRun run("trap '' TERM; echo ready >ready; exec sleep infinity");
  run.make_pipe("ready");
  run.start({"--ranks", "1", "--grace", "50ms"});
  run.line_from("ready");
  run.send(SIGTERM);
  EXPECT_EQ(run.wait(), 128 + SIGKILL);
  EXPECT_EQ(run.errors(),
            "SIGTERM: the ranks are asked to stop\nwarn: the ranks did not stop within 0.05 s and are killed\n"
            "error: rank 0 was ended by SIGKILL\n");
}

TEST(Launch, KillsItsRanksAtTheSecondSignal) {
  LaunchRun run("trap '' TERM INT; echo ready >ready; exec sleep infinity");
  run.make_pipe("ready");
  run.start({"--ranks", "1", "--grace", "24h"});
  run.line_from("ready");
  run.send(SIGINT);
  run.wait_for("asked to stop");
  run.send(SIGTERM);
  EXPECT_EQ(run.wait(), 128 + SIGKILL);
  EXPECT_EQ(run.errors(),
            "Ctrl-C: the ranks are asked to stop\nwarn: asked to stop a second time: the ranks are killed\n"
            "error: rank 0 was ended by SIGKILL\n");
}

TEST(Launch, TakesAHangUpForNoSecondSignal) {
  LaunchRun run("trap 'kill $!; read -r go <end; exit 75' TERM; trap '' HUP; sleep infinity & echo ready >ready; wait");
  run.make_pipe("ready");
  run.make_pipe("end");
  run.start({"--ranks", "1", "--grace", "24h"});
  run.line_from("ready");
  run.send(SIGTERM);
  run.wait_for("asked to stop");
  run.send(SIGHUP);
  run.release("end");
  EXPECT_EQ(run.wait(), 75);
  EXPECT_EQ(run.errors(), "SIGTERM: the ranks are asked to stop\n");
}

TEST(Launch, TakesItsRanksAlongWhenItIsKilled) {
  LaunchRun run("exec 9>alive-$RANK; exec sleep infinity");
  run.make_pipe("alive-0");
  run.make_pipe("alive-1");
  run.start({"--ranks", "2"});
  const int first = run.open_pipe("alive-0");  // waits until the rank has opened it
  const int second = run.open_pipe("alive-1");
  run.send(SIGKILL);
  EXPECT_EQ(run.wait(), 128 + SIGKILL);
  run.wait_for_end_of(first);
  run.wait_for_end_of(second);
}

}  // namespace
}  // namespace base
