#include "generator/writer.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/generator/support.h"

namespace generator {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::vector<RenderedFile> kFiles{{".scaffold.json", "{}\n", false},
                                       {"README.md", "# a\n", false},
                                       {"src/deep/model.h", "", false},
                                       {"train.sh", "#!/bin/sh\n", true}};
const WriteOptions kNoGit{.uses_git = false};

std::string refusal(const fs::path& folder, const std::vector<RenderedFile>& files = kFiles,
                    base::ErrorKind kind = base::ErrorKind::kUsage) {
  return complaint(kind, [&] { write_project(folder.string(), files, kNoGit); });
}

TEST(WriteProject, WritesFilesFoldersAndModes) {
  const base::TemporaryFolder folder;
  write_project(folder / "demo/", kFiles, kNoGit);
  const std::map<std::string, std::string> expected{
      {".scaffold.json", "{}\n"}, {"README.md", "# a\n"}, {"src/deep/model.h", ""}, {"train.sh*", "#!/bin/sh\n"}};
  EXPECT_EQ(tree_of(folder / "demo"), expected);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"demo"}) << "nothing else is left";
  const fs::perms mode = fs::status(folder / "demo").permissions();
  EXPECT_NE(mode & fs::perms::others_read, fs::perms::none) << "as mkdir would make it";
}

TEST(WriteProject, TakesAnEmptyFolderButNothingElse) {
  const base::TemporaryFolder folder;
  fs::create_directory(folder / "empty");
  write_project(folder / "empty", kFiles, kNoGit);
  const auto before = tree_of(folder.path());
  EXPECT_EQ(
      folder.shorten(refusal(folder / "empty")),
      "usage error: there is something already: empty\n  fix: choose another folder; nothing is ever overwritten");
  folder.write("file", "mine");
  EXPECT_NE(refusal(folder / "file").find("there is something already"), std::string::npos);
  fs::create_directory(folder / "other");
  fs::create_directory_symlink("other", folder / "link");
  EXPECT_NE(refusal(folder / "link").find("there is something already"), std::string::npos);
  EXPECT_EQ(folder.shorten(refusal(folder / "no/such/demo")),
            "usage error: there is no folder to put the project into: no/such\n  fix: make it first: mkdir -p no/such");
  EXPECT_EQ(base::contents_of(folder / "file"), "mine");
  EXPECT_EQ(tree_of(folder / "empty").size(), kFiles.size());
  EXPECT_EQ(before.size() + 1, tree_of(folder.path()).size());
}

TEST(WriteProject, DoesNotReplaceTheFolderOneStandsIn) {
  const base::TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const std::string message = refusal(folder.path());
  fs::current_path(before);
  EXPECT_NE(message.find("the project's folder is the one you are in"), std::string::npos);
}

TEST(WriteProject, LeavesNothingInAFolderThatCannotBeWritten) {
  const base::TemporaryFolder folder;
  EXPECT_NE(refusal("/proc/demo").find("usage error: it cannot be written: /proc"), std::string::npos);
  if (geteuid() == 0) {
    // For root everything can be written: another user tries.
    fs::permissions(folder.path(), fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read |
                                       fs::perms::group_exec | fs::perms::others_exec);
    const pid_t child = fork();
    if (child == 0) {
      if (setuid(65534) != 0) _exit(2);
      try {
        write_project(folder / "demo", kFiles, kNoGit);
      } catch (const base::Error& error) {
        _exit(std::string(error.what()).find("it cannot be written") != std::string::npos ? 0 : 3);
      }
      _exit(4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  } else {
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_NE(refusal(folder / "demo").find("it cannot be written"), std::string::npos);
    fs::permissions(folder.path(), fs::perms::owner_all);
  }
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(WriteProject, LeavesNothingOnAFullDisk) {
  const base::TemporaryFolder folder;
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "SKIPPED: only root can mount a small file system to fill";
  }
  std::vector<RenderedFile> files = kFiles;
  files.push_back({"zz/large", std::string(1 << 20, 'x'), false});
  const std::string message = refusal(folder / "demo", files, base::ErrorKind::kDevice);
  const auto names = names_in(folder.path());
  umount(folder.path().c_str());
  EXPECT_NE(message.find("device error: the disk is full: "), std::string::npos) << message;
  EXPECT_NE(message.find("fix: make room on it"), std::string::npos);
  EXPECT_TRUE(names.empty());
}

TEST(WriteProject, KilledAnywhereLeavesAllOrNothing) {
  const base::TemporaryFolder folder;
  std::vector<RenderedFile> files;
  for (int i = 0; i < 400; ++i)
    files.push_back({"d" + std::to_string(i % 20) + "/f" + std::to_string(i), "text\n", false});
  int killed = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string name = "demo" + std::to_string(round);
    const pid_t child = fork();
    if (child == 0) {
      write_project(folder / name, files, kNoGit);
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) ++killed;
    const std::size_t count = fs::exists(folder / name) ? tree_of(folder / name).size() : 0;
    EXPECT_TRUE(count == 0 || count == files.size()) << count << " files in round " << round;
    for (const std::string& left : names_in(folder.path())) {
      EXPECT_TRUE(left.starts_with("demo") || left.starts_with(".scaffold-staging-")) << left;
    }
  }
  EXPECT_GT(killed, 0);
  write_project(folder / "last", kFiles, kNoGit);
  for (const std::string& left : names_in(folder.path()))
    EXPECT_FALSE(left.starts_with('.')) << left << " was to be removed";
}

TEST(WriteProject, LeavesTheStagingFolderOfALivingProcessAlone) {
  const base::TemporaryFolder folder;
  const std::string name = ".scaffold-staging-" + std::to_string(getpid()) + "-abcdef";
  folder.write(name + "/project/file", "");
  folder.write(".scaffold-staging-notes", "a file of the user's");
  write_project(folder / "demo", kFiles, kNoGit);
  EXPECT_TRUE(fs::exists(folder / name));
  EXPECT_TRUE(fs::exists(folder / ".scaffold-staging-notes"));
}

TEST(WriteProject, MakesAFirstCommitOfEverything) {
  const base::TemporaryFolder folder;
  write_project(folder / "demo", kFiles, {.message = "New project demo"});
  EXPECT_EQ(git(folder / "demo", {"status", "--porcelain"}), "");
  EXPECT_EQ(git(folder / "demo", {"log", "--format=%s"}), "New project demo\n");
  EXPECT_EQ(git(folder / "demo", {"ls-files"}), ".scaffold.json\nREADME.md\nsrc/deep/model.h\ntrain.sh\n");
}

TEST(WriteProject, CommitsWhateverTheUsersGitIsLike) {
  const base::TemporaryFolder folder;
  folder.write("hooks/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
  fs::permissions(folder / "hooks/hooks/pre-commit", fs::perms::owner_all);
  folder.write("ignore", "*.md\n");
  folder.write("config", "[commit]\ngpgsign = true\n[user]\nuseConfigOnly = true\n[init]\ntemplateDir = " +
                             (folder / "hooks").string() + "\n[core]\nexcludesFile = " + (folder / "ignore").string() +
                             "\n");
  setenv("GIT_CONFIG_GLOBAL", (folder / "config").c_str(), 1);
  setenv("GIT_DIR", "/no/such/repository", 1);  // as a hook that calls us would have it
  for (const char* name : {"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"})
    unsetenv(name);
  write_project(folder / "demo", kFiles, {});
  unsetenv("GIT_CONFIG_GLOBAL");
  unsetenv("GIT_DIR");
  EXPECT_NE(git(folder / "demo", {"ls-files"}).find("README.md"), std::string::npos);
  EXPECT_NE(git(folder / "demo", {"log", "--format=%an"}), "");
}

TEST(WriteProject, MakesNoRepositoryWithinAnother) {
  const base::TemporaryFolder folder;
  git(folder.path(), {"init", "-q"});
  write_project(folder / "demo", kFiles, {});
  EXPECT_FALSE(fs::exists(folder / "demo/.git"));
}

TEST(DescribeTree, ShowsFoldersAndSizes) {
  EXPECT_EQ(describe_tree("demo/", kFiles),
            "demo/\n"
            "  .scaffold.json                                        3\n"
            "  README.md                                             4\n"
            "  src/\n"
            "    deep/\n"
            "      model.h                                           0\n"
            "  train.sh*                                            10\n"
            "4 files, 17 bytes");
}

}  // namespace
}  // namespace generator
