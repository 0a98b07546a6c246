#include "generator/name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log/error.h"
#include "generator/reserved_words.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

std::string refusal(const std::string& name) {
  return complaint(base::ErrorKind::kUsage, [&] { parse_project_name(name); });
}

TEST(ProjectName, GivesAnIdentifierAndAJobName) {
  const std::vector<std::vector<std::string>> cases{
      {"digits", "digits", "digits"},
      {"MyProject", "my_project", "my-project"},
      {"my-project", "my_project", "my-project"},
      {"my_project", "my_project", "my-project"},
      {"HTTPServer2", "http_server2", "http-server2"},
      {"a", "a", "a"},
      {"Net2Vec", "net2_vec", "net2-vec"},
  };
  for (const auto& one : cases) {
    const ProjectName name = parse_project_name(one[0]);
    EXPECT_EQ(name.given, one[0]);
    EXPECT_EQ(name.identifier, one[1]);
    EXPECT_EQ(name.job_name, one[2]);
  }
}

TEST(ProjectName, RefusesWhatNoCompilerOrClusterTakes) {
  const std::string fix = "\n  fix: use letters, digits and single - or _, such as digits_2";
  EXPECT_EQ(refusal(""), "usage error: the project's name is empty\n  fix: give a name such as digits");
  EXPECT_EQ(refusal("a.b"), "usage error: the project's name has a dot in it: a.b" + fix);
  EXPECT_EQ(refusal("a b"), "usage error: the project's name has a space in it: a b" + fix);
  EXPECT_EQ(refusal("../a"), "usage error: the project's name has a dot in it: ../a" + fix);
  EXPECT_EQ(refusal("a/b"),
            "usage error: the project's name has a slash in it: a/b" + fix + "; a folder is an argument of its own");
  EXPECT_EQ(refusal("größe"),
            "usage error: the project's name has a character in it that is no letter of a to z: größe" + fix);
  EXPECT_EQ(refusal("a$(id)"),
            "usage error: the project's name has a character in it that is no letter of a to z: a$(id)" + fix);
  EXPECT_EQ(refusal("7up"),
            "usage error: the project's name starts with a digit: 7up\n"
            "  fix: start it with a letter, as C++ and clusters want it");
}

TEST(ProjectName, RefusesSeparatorsThatDoNotSeparate) {
  for (const std::string name : {"_a", "-a", "a_", "a-", "a__b", "a--b", "a-_b", "-", "_"}) {
    EXPECT_EQ(refusal(name), "usage error: the project's name has a - or _ at its start or end, or two in a row: " +
                                 name + "\n  fix: put single ones between letters or digits");
  }
}

TEST(ProjectName, RefusesWordsThatAreTaken) {
  for (const std::string name : {"class", "template", "Export", "co_await", "requires"}) {
    EXPECT_NE(refusal(name).find("the project's name is a word of C++: " + name), std::string::npos) << name;
  }
  for (const std::string name : {"base", "std", "torch", "at", "c10", "test", "tests", "all", "clean", "install",
                                 "scaffold", "src", "Torch", "main", "generators"}) {
    EXPECT_NE(refusal(name).find("the project's name is taken by what a project is made of: " + name),
              std::string::npos)
        << name;
  }
  for (const std::string name :
       {"time",   "Clock",  "random", "index", "gamma", "log", "signal", "read", "write",  "link",
        "remove", "system", "exit",   "y0",    "j1",    "div", "abs",    "stat", "socket", "round"}) {
    EXPECT_EQ(refusal(name).find("usage error: the project's name is taken by the C library: " + name), 0) << name;
  }
  EXPECT_NE(refusal("torch").find("choose another, such as my_torch"), std::string::npos);
}

TEST(ProjectName, RefusesLengthsThatLeaveNoRoomForTheTimeOfARun) {
  EXPECT_EQ(refusal(std::string(200, 'a')), "usage error: the project's name has 200 characters: " +
                                                std::string(40, 'a') + "...\n  fix: take 40 at most");
  std::string camel;
  for (int i = 0; i < 20; ++i) camel += "Aa";
  EXPECT_NE(refusal(camel).find("the job's name that follows has 59 characters"), std::string::npos);
  EXPECT_EQ(parse_project_name(std::string(40, 'a')).job_name.size(), 40);
}

RC_GTEST_PROP(ProjectName, EitherRefusesOrGivesNamesThatDo, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abzAZ09_-./ é")));
  try {
    const ProjectName name = parse_project_name(text);
    RC_ASSERT(is_identifier(name.identifier));
    RC_ASSERT(name.job_name.size() <= 47);
    RC_ASSERT(name.job_name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    RC_ASSERT(parse_project_name(name.identifier).identifier == name.identifier);
  } catch (const base::Error& error) {
    RC_ASSERT(error.kind() == base::ErrorKind::kUsage);
  }
}

TEST(ClassName, TakesEitherForm) {
  for (const std::string name : {"ResNetTiny", "res_net_tiny", "res-net-tiny", "resNetTiny"}) {
    EXPECT_EQ(parse_class_name(name).class_name, "ResNetTiny") << name;
    EXPECT_EQ(parse_class_name(name).file_name, "res_net_tiny") << name;
  }
  EXPECT_EQ(complaint(base::ErrorKind::kUsage, [] { parse_class_name("a.h"); }),
            "usage error: the class's name has a dot in it: a.h\n"
            "  fix: use letters, digits and single - or _, such as digits_2");
}

/// They are looked up by halves.
TEST(ReservedWords, AreSortedAndStandInOneListEach) {
  for (const Reserved kind : {Reserved::kKeyword, Reserved::kLibrary, Reserved::kProject}) {
    const std::span<const std::string_view> words = reserved_words(kind);
    ASSERT_FALSE(words.empty());
    EXPECT_EQ(std::adjacent_find(words.begin(), words.end(), std::greater_equal<>()), words.end());
    for (const std::string_view word : words) EXPECT_EQ(reserved(word), kind) << word;
  }
  EXPECT_EQ(reserved("digits"), Reserved::kNo);
}

TEST(IsIdentifier, KnowsTheWordsOfTheLanguage) {
  for (const char* text : {"digits", "Digits2", "my_project", "x"}) EXPECT_TRUE(is_identifier(text)) << text;
  for (const char* text : {"", "2a", "_a", "a__b", "a-b", "a b", "class", "std", "time", "größe", "a::b"}) {
    EXPECT_FALSE(is_identifier(text)) << text;
  }
}

}  // namespace
}  // namespace generator
