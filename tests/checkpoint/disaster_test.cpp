#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "base/checkpoint/checkpoint_store.h"
#include "tests/checkpoint/endless_saver.h"
#include "tests/checkpoint/support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A run in a process of its own, killed some time after it has begun to save. Returns the last step that it knew to be
// on disk.
std::int64_t run_and_kill(const fs::path& folder, std::chrono::microseconds after) {
  int pipe[2];
  if (::pipe(pipe) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::execl("/proc/self/exe", "checkpoint_tests", "--save-until-killed", folder.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::int64_t step = -2;  // none, not even the one it started from
  if (::read(pipe[0], &step, sizeof(step)) == sizeof(step)) {
    std::this_thread::sleep_for(after);
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended by itself: " << status;
  while (::read(pipe[0], &step, sizeof(step)) == sizeof(step)) {
  }
  ::close(pipe[0]);
  return step;
}

TEST(Kill, LeavesAWholeCheckpointWheneverItComes) {
  const CheckpointsFolder folder;
  std::mt19937 random(7);
  std::int64_t before = -1;
  int in_mid_save = 0;
  for (int i = 0; i < 30 || (in_mid_save < 8 && i < 200); ++i) {
    const std::int64_t known = run_and_kill(folder.path(), std::chrono::microseconds(random() % 100'000));
    ASSERT_GE(known, before);  // it went on from where the one before was
    for (const std::string& name : names_in(folder.path())) in_mid_save += name.starts_with(".step-") ? 1 : 0;
    CheckpointStore store(folder.path(), {});
    for (const std::string& name : names_in(folder.path())) {
      EXPECT_TRUE(name == ".lock" || name.starts_with("step-")) << name << " is left over";
    }
    const auto latest = store.load("latest");
    ASSERT_TRUE(latest || known < 0);
    if (!latest) continue;
    EXPECT_GE(latest->step, known);
    EXPECT_LE(latest->step, known + 2);  // one more is on disk when save() returns, and one is being written
    EXPECT_TRUE(same(*latest, checkpoint_of_step(latest->step)));
    for (const auto& entry : store.entries())  // not only the latest
      EXPECT_TRUE(same(read_checkpoint(entry.folder), checkpoint_of_step(entry.step)));
    EXPECT_LE(store.entries().size(), 5U);  // two last, one best, and one written but not yet followed by its pruning
    before = latest->step;
  }
  EXPECT_GT(before, 0);
  EXPECT_GE(in_mid_save, 8) << "the kills were to come in the middle of a save";
}

// Two checkpoints fit, and the third fails.
void expect_the_one_before_to_stay_whole(const fs::path& folder, const std::string& reason, const std::string& fix) {
  CheckpointStore store(folder, {.keep_last = 9});
  store.save(checkpoint_of_step(1, 1000));
  store.wait();
  store.save(checkpoint_of_step(2, 1'000'000));
  const std::string error = checkpoint_error([&] { store.wait(); });
  EXPECT_THAT(error,
              AllOf(StartsWith("checkpoint error: the checkpoint cannot be written"), HasSubstr("model.safetensors"),
                    HasSubstr(reason), HasSubstr("fix: " + fix), HasSubstr("the checkpoint before is whole")));
  EXPECT_THAT(names_in(folder), ElementsAre(".lock", "step-1"));  // nothing half-written takes up the rest
  EXPECT_TRUE(same(*store.load("latest"), checkpoint_of_step(1, 1000)));
  store.save(checkpoint_of_step(3, 1000));
  EXPECT_TRUE(same(*store.load("latest"), checkpoint_of_step(3, 1000)));
}

TEST(FullDisk, TheCheckpointBeforeStaysWhole) {
  const CheckpointsFolder folder;
  // In a name space of its own, so that the disk is gone with the process.
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=2m") != 0) {
    GTEST_SKIP() << "a small disk cannot be mounted (" << std::strerror(errno) << "): run the test as root";
  }
  expect_the_one_before_to_stay_whole(folder.path(), std::strerror(ENOSPC), "free some space");
  ::umount2(folder.path().c_str(), MNT_DETACH);
}

// Works without root as well: no file of this process may grow beyond 1 MB.
TEST(FileSizeLimit, TheCheckpointBeforeStaysWhole) {
  const CheckpointsFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  expect_the_one_before_to_stay_whole(folder.path(), std::strerror(EFBIG), "check the disk and the limits");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
}

}  // namespace
}  // namespace base
