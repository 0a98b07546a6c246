#include "generator/finding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace generator {
namespace {

using State = Finding::State;

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const ReportLine& line : report(findings)) text += line.before + line.word + line.after + "\n";
  return text;
}

const std::vector<Finding> kMixed{
    {"C++ compiler", true, State::kFound, "12.2.0", "/usr/bin/g++", "", "apt-get install g++"},
    {"CMake", true, State::kTooOld, "3.18.4", "/usr/bin/cmake", "3.23 or newer is needed", "pip install cmake"},
    {"Ninja", true, State::kMissing, "", "", "", "apt-get install ninja-build"},
    {"Conan", true, State::kBroken, "", "/usr/bin/conan", "no answer in 10 s", "./dev install"},
    {"ccache", false, State::kMissing, "", "", "", "apt-get install ccache"},
    {"git", false, State::kFound, "2.39.5", "/usr/bin/git", "", ""},
};

TEST(Report, IsATableWithASummary) {
  EXPECT_EQ(text_of(kMixed),
            "required\n"
            "  C++ compiler  12.2.0   /usr/bin/g++\n"
            "  CMake         3.18.4   /usr/bin/cmake; 3.23 or newer is needed; pip install cmake\n"
            "  Ninja         missing  apt-get install ninja-build\n"
            "  Conan         broken   /usr/bin/conan; no answer in 10 s; ./dev install\n"
            "optional\n"
            "  ccache        missing  apt-get install ccache\n"
            "  git           2.39.5   /usr/bin/git\n"
            "not ready: this machine lacks CMake, Ninja, Conan\n");
}

TEST(Report, ColorsWhatIsMissingByHowMuchItMatters) {
  std::vector<base::Color> colors;
  for (const ReportLine& line : report(kMixed)) colors.push_back(line.color);
  using base::Color;
  EXPECT_EQ(colors, (std::vector<Color>{Color::kNone, Color::kGreen, Color::kRed, Color::kRed, Color::kRed,
                                        Color::kNone, Color::kYellow, Color::kGreen, Color::kRed}));
}

TEST(ExitCode, IsThatOfADeviceErrorWhenSomethingRequiredIsNotThere) {
  for (const State state : {State::kMissing, State::kTooOld, State::kBroken}) {
    EXPECT_EQ(exit_code({{.what = "CMake", .is_required = true, .state = state}}), 2);
    EXPECT_EQ(exit_code({{.what = "ccache", .is_required = false, .state = state}}), 0);
  }
  EXPECT_EQ(exit_code({{.what = "CMake", .is_required = true, .state = State::kFound}}), 0);
  EXPECT_EQ(exit_code({}), 0);
}

}  // namespace
}  // namespace generator
