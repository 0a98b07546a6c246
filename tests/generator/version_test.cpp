#include "generator/version.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

namespace generator {
namespace {

std::string parsed(std::string_view output) {
  const std::optional<Version> version = parse_version(output);
  return version ? version->text() : "none";
}

TEST(ParseVersion, UnderstandsWhatRealProgramsPrint) {
  const std::vector<std::pair<const char*, const char*>> outputs{
      {"g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n", "12.2.0"},
      {"g++ (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0\n", "11.4.0"},
      {"g++ (GCC) 13.2.1 20230801\n", "13.2.1"},
      {"g++-13 (Homebrew GCC 13.2.0) 13.2.0\n", "13.2.0"},
      {"x86_64-conda-linux-gnu-c++ (conda-forge gcc 12.3.0-3) 12.3.0\n", "12.3.0"},
      {"g++ (crosstool-NG 1.25.0.28_c1746b7) 11.4\n", "11.4"},
      {"Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\nThread model: posix\n", "14.0.6"},
      {"Ubuntu clang version 18.1.3 (1ubuntu1)\nTarget: x86_64-pc-linux-gnu\n", "18.1.3"},
      {"clang version 16.0.6 (https://github.com/llvm/llvm-project.git 7cbf1a2591520c2491aa35339f227775f4d3adf6)\n",
       "16.0.6"},
      {"cmake version 3.25.1\n\nCMake suite maintained and supported by Kitware (kitware.com/cmake).\n", "3.25.1"},
      {"cmake version 4.0.0-rc2\n", "4.0.0"},
      {"1.11.1\n", "1.11.1"},
      {"1.11.1.git.kitware.jobserver-1\n", "1.11.1"},
      {"ccache version 4.7.5\nFeatures: file-storage http-storage redis-storage\n", "4.7.5"},
      {"Conan version 2.34.0\n", "2.34.0"},
      {"Conan version 2.27.0-dev\n", "2.27.0"},
      {"git version 2.39.5\n", "2.39.5"},
      {"git version 2.39.3 (Apple Git-146)\n", "2.39.3"},
      {"Debian clang-format version 14.0.6\n", "14.0.6"},
      {"nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2025 NVIDIA Corporation\n"
       "Built on Wed_Aug_20_01:58:59_PM_PDT_2025\nCuda compilation tools, release 13.0, V13.0.88\n"
       "Build cuda_13.0.r13.0/compiler.36424714_0\n",
       "13.0"},
      {"slurm 23.11.4\n", "23.11.4"},
      {"slurm-wlm 22.05.8\n", "22.05.8"},
      {"Google Cloud SDK 528.0.0\nalpha 2025.06.20\n", "528.0.0"},
      {"Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0\n", "1.32.4"},
      {"Client Version: version.Info{Major:\"1\", Minor:\"20\", GitVersion:\"v1.20.2\", GitCommit:\"faec\"}\n",
       "1.20.2"},
  };
  for (const auto& [output, expected] : outputs) EXPECT_EQ(parsed(output), expected) << output;
}

TEST(ParseVersion, FindsNoneWhereThereIsNone) {
  for (const char* output : {"", "\n", "no version here", "version 7", "(1.2.3)", "unclosed (1.2.3", "g++-12.2", "a1.2",
                             "99999999999999999999.1", "1.", "v", "-1.2"}) {
    EXPECT_EQ(parsed(output), "none") << output;
  }
}

TEST(ParseVersion, SurvivesAnyBytes) {
  EXPECT_TRUE(rc::check("for any bytes", [](const std::string& bytes) {
    const std::optional<Version> version = parse_version(bytes);
    RC_ASSERT(!version || version->numbers.size() >= 2);
  }));
}

TEST(ParseVersion, ReadsBackItsOwnText) {
  EXPECT_TRUE(rc::check("for any version", [] {
    const auto number = rc::gen::inRange(0, 10'000);
    const Version version{{*number, *number, *number}};
    RC_ASSERT(parse_version("tool version " + version.text() + " (build 9.9)") == version);
  }));
}

TEST(Version, IsComparedNumberByNumber) {
  EXPECT_LT((Version{{3, 9}}), (Version{{3, 23}}));
  EXPECT_LT((Version{{3, 22, 6}}), (Version{{3, 23}}));
  EXPECT_GE((Version{{3, 23}}), (Version{{3, 23}}));
  EXPECT_GE((Version{{12, 1, 0}}), (Version{{12}}));
  EXPECT_GE((Version{{4, 0}}), (Version{{3, 23}}));
  EXPECT_GE((Version{{0, 1}}), Version{});
  EXPECT_EQ((Version{{22, 5}, "22.05"}), (Version{{22, 5}}));
}

}  // namespace
}  // namespace generator
