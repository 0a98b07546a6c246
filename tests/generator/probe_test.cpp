#include "generator/probe.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

TEST(SystemProbe, FindsProgramsByNameAndByPath) {
  SystemProbe probe;
  const std::optional<std::string> shell = probe.find_program("/bin/sh");
  EXPECT_EQ(shell, "/bin/sh");
  EXPECT_EQ(probe.find_program("/no/such/program"), std::nullopt);
  EXPECT_EQ(probe.find_program("no-program-has-this-name"), std::nullopt);
  EXPECT_EQ(probe.find_program("/etc/passwd"), std::nullopt) << "a file that cannot be run";
  EXPECT_EQ(probe.find_program("/bin/"), std::nullopt) << "a folder";
}

TEST(SystemProbe, LooksThroughThePathInOrderAndOnlyInWholeFolders) {
  const base::TemporaryFolder folder;
  for (const char* name : {"first", "second"}) {
    fs::create_directory(folder.path() / name);
    std::ofstream(folder.path() / name / "tool") << "#!/bin/sh\necho " << name << "\n";
  }
  fs::permissions(folder.path() / "second" / "tool", fs::perms::owner_all);
  const std::string path = folder.path().string();
  const std::string before = SystemProbe().variable("PATH");
  setenv("PATH", (":.:/no/such/folder:" + path + "/first:" + path + "/second:").c_str(), 1);
  EXPECT_EQ(SystemProbe().find_program("tool"), path + "/second/tool") << "the first one cannot be run";
  setenv("PATH", "", 1);
  EXPECT_EQ(SystemProbe().find_program("tool"), std::nullopt);
  setenv("PATH", before.c_str(), 1);
}

TEST(SystemProbe, ReadsFilesUpToALimit) {
  const base::TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "text\n";
  SystemProbe probe;
  EXPECT_EQ(probe.read_file(file), "text\n");
  EXPECT_EQ(probe.read_file(folder.path()), std::nullopt);
  EXPECT_EQ(probe.read_file(folder.path() / "missing"), std::nullopt);
  fs::resize_file(file, 3 << 20);
  EXPECT_EQ(probe.read_file(file)->size(), 1U << 20);
}

TEST(SystemProbe, KnowsWhereTheBinaryIs) {
  EXPECT_TRUE(fs::is_directory(SystemProbe().tool_folder()));
}

TEST(SystemProbe, AsksForADriverWithoutHarm) {
  SystemProbe().cuda_driver();  // whatever the answer: it must neither throw nor crash
}

}  // namespace
}  // namespace generator
