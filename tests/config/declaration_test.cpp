// Mistakes that the author of a settings struct can make, and what the struct's knobs may be.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "base/config/knobs.h"
#include "tests/config/support.h"

namespace {

using config_test::error_of;
using config_test::One;

struct Empty {
  void declare(base::Knobs&) {}
};

// A struct whose declaration is given by the test.
struct Declared {
  int a = 1;
  int b = 2;
  Empty inner;
  std::function<void(Declared&, base::Knobs&)> body = [](Declared&, base::Knobs&) {};

  void declare(base::Knobs& knobs) { body(*this, knobs); }
};

template <typename S>
std::string mistake(S settings) {
  return error_of([&] { config_test::load(settings, {}); });
}

std::string mistake_in(const std::function<void(Declared&, base::Knobs&)>& body) {
  Declared settings;
  settings.body = body;
  return mistake(settings);
}

std::string internal(const std::string& what, const std::string& value) {
  return std::string("exit 1, ") + base::Error(base::ErrorKind::kInternal, what, value, "").what();
}

TEST(Declaration, RefusesANameThatIsNotLowerCaseWords) {
  for (const std::string name : {"", "Width", "1st", "_width", "width_", "learning-rate", "a.b", "a b", "a__b", "é"}) {
    EXPECT_EQ(mistake_in([&](Declared& s, base::Knobs& knobs) { knobs.add(name, s.a, "help"); }),
              internal("a knob's name must be lower-case words with single underscores between", name));
    EXPECT_EQ(mistake_in([&](Declared& s, base::Knobs& knobs) { knobs.section(name, s.inner, "help"); }),
              internal("a knob's name must be lower-case words with single underscores between", name));
  }
}

TEST(Declaration, AcceptsLowerCaseWordsWithDigits) {
  for (const std::string name : {"a", "width", "save_every", "conv2d_3", "x1"}) {
    EXPECT_EQ(mistake_in([&](Declared& s, base::Knobs& knobs) { knobs.add(name, s.a, "help"); }), "accepted");
  }
}

TEST(Declaration, ReservesSomeNamesAtTheTopLevel) {
  for (const std::string name : {"help", "config", "set", "inherits"}) {
    EXPECT_EQ(mistake_in([&](Declared& s, base::Knobs& knobs) { knobs.add(name, s.a, "help"); }),
              internal("a knob has a name that is reserved at the top level", name));
    EXPECT_EQ(mistake_in([&](Declared& s, base::Knobs& knobs) { knobs.section(name, s.inner, "help"); }),
              internal("a knob has a name that is reserved at the top level", name));
  }
}

struct Reserved {
  int help = 0;
  int inherits = 0;
  void declare(base::Knobs& knobs) {
    knobs.add("help", help, "may have this name here");
    knobs.add("inherits", inherits, "so may this");
  }
};
struct WithReserved {
  Reserved inner;
  void declare(base::Knobs& knobs) { knobs.section("inner", inner, "a section"); }
};

TEST(Declaration, AllowsReservedNamesInASection) {
  const auto settings = config_test::loaded<WithReserved>({"--inner.help", "3", "--inner.inherits=4"});
  EXPECT_EQ(settings.inner.help, 3);
  EXPECT_EQ(settings.inner.inherits, 4);
}

TEST(Declaration, RefusesANameTwice) {
  EXPECT_EQ(mistake_in([](Declared& s, base::Knobs& knobs) {
              knobs.add("a", s.a, "help");
              knobs.add("a", s.b, "help");
            }),
            internal("a knob is declared twice", "a"));
  EXPECT_EQ(mistake_in([](Declared& s, base::Knobs& knobs) {
              knobs.add("a", s.a, "help");
              knobs.section("a", s.inner, "help");
            }),
            internal("a knob is declared twice", "a"));
  EXPECT_EQ(mistake_in([](Declared& s, base::Knobs& knobs) {
              knobs.section("a", s.inner, "help");
              knobs.section("a", s.inner, "help");
            }),
            internal("a knob is declared twice", "a"));
  EXPECT_EQ(mistake_in([](Declared& s, base::Knobs& knobs) {
              knobs.section("a", s.inner, "help");
              knobs.add("a", s.a, "help");
            }),
            internal("a knob is declared twice", "a"));
}

TEST(Declaration, AllowsTheSameNameInDifferentSections) {
  EXPECT_EQ(mistake_in([](Declared& s, base::Knobs& knobs) {
              WithReserved one;
              WithReserved two;
              knobs.add("help_me", s.a, "help");
              knobs.section("one", one, "help");
              knobs.section("two", two, "help");
            }),
            "accepted");
}

TEST(Declaration, RefusesAMinAboveTheMax) {
  EXPECT_EQ(mistake(One<int>{5, {.min = 9, .max = 1}}),
            internal("knob value is declared wrongly", "its min is above its max"));
  EXPECT_EQ(mistake(One<double>{5, {.min = 0.2, .max = 0.1, .required = true}}),
            internal("knob value is declared wrongly", "its min is above its max"));
}

TEST(Declaration, RefusesADefaultThatBreaksItsOwnRule) {
  const std::string expected = internal("knob value is declared wrongly", "its default breaks its own rule");
  EXPECT_EQ(mistake(One<int>{0, {.min = 1}}), expected);
  EXPECT_EQ(mistake(One<std::int64_t>{11, {.max = 10}}), expected);
  EXPECT_EQ(mistake(One<double>{-0.1, {.min = 0.0, .max = 1.0}}), expected);
  EXPECT_EQ(mistake(One<int>{3, {.choices = {1, 2, 4}}}), expected);
  EXPECT_EQ(mistake(One<std::string>{"c", {.choices = {"a", "b"}}}), expected);
  EXPECT_EQ(mistake(One<std::string>{"", {.choices = {"a", "b"}}}), expected);
  EXPECT_EQ(mistake(One<std::vector<int>>{{1, 2, 0}, {.min = 1}}), expected);
  EXPECT_EQ(mistake(One<std::chrono::milliseconds>{std::chrono::seconds(1), {.min = std::chrono::minutes(1)}}),
            expected);
}

TEST(Declaration, DoesNotShowTheDefaultOfASecret) {
  const std::string message = mistake(One<std::string>{"hunter2", {.choices = {"a"}, .secret = true}});
  EXPECT_EQ(message, internal("knob value is declared wrongly", "its default breaks its own rule"));
}

TEST(Declaration, LeavesTheDefaultOfARequiredKnobAlone) {
  EXPECT_EQ(config_test::refusal(One<int>{0, {.min = 1, .required = true}}, {"--value", "3"}), "accepted");
  EXPECT_EQ(config_test::refusal(One<std::string>{"", {.choices = {"a"}, .required = true}}, {"--value", "a"}),
            "accepted");
}

TEST(Declaration, IsCheckedForHelpToo) {
  EXPECT_EQ(error_of([] {
              base::settings_help(One<int>{0, {.min = 1}});
            }),
            internal("knob value is declared wrongly", "its default breaks its own rule"));
}

TEST(Declaration, MayBeEmpty) {
  EXPECT_EQ(config_test::refusal<Empty>({}), "accepted");
  EXPECT_EQ(config_test::refusal<Empty>({"--set", "width=3"}),
            "exit 3, usage error: unknown setting: width (--set width)\n  fix: take it out: there are no settings");
}

template <typename T>
concept HasMin = requires(base::RuleOf<T> rule) {
  rule.min;
};
template <typename T>
concept HasChoices = requires(base::RuleOf<T> rule) {
  rule.choices;
};
template <typename T>
concept HasExists = requires(base::RuleOf<T> rule) {
  rule.exists;
};

TEST(Rule, HasOnlyWhatMakesSenseForItsType) {
  EXPECT_TRUE(HasMin<int> && HasMin<std::uint64_t> && HasMin<float> && HasMin<std::chrono::milliseconds>);
  EXPECT_TRUE(HasMin<std::vector<double>>);
  EXPECT_FALSE(HasMin<bool> || HasMin<std::string> || HasMin<std::filesystem::path>);
  EXPECT_TRUE(HasChoices<int> && HasChoices<std::string> && HasChoices<std::vector<std::string>>);
  EXPECT_FALSE(HasChoices<bool> || HasChoices<std::filesystem::path>);
  EXPECT_TRUE(HasExists<std::filesystem::path> && HasExists<std::vector<std::filesystem::path>>);
  EXPECT_FALSE(HasExists<int> || HasExists<std::string>);
}

TEST(KnobType, IsOneOfNineOrAListOfThem) {
  EXPECT_TRUE(base::KnobType<bool> && base::KnobType<int> && base::KnobType<std::int64_t>);
  EXPECT_TRUE(base::KnobType<std::uint64_t> && base::KnobType<float> && base::KnobType<double>);
  EXPECT_TRUE(base::KnobType<std::string> && base::KnobType<std::filesystem::path>);
  EXPECT_TRUE(base::KnobType<std::chrono::milliseconds>);
  EXPECT_TRUE(base::KnobType<std::vector<int>> && base::KnobType<std::vector<std::chrono::milliseconds>>);
  EXPECT_FALSE(base::KnobType<std::vector<bool>> || base::KnobType<std::vector<std::vector<int>>>);
  EXPECT_FALSE(base::KnobType<char> || base::KnobType<unsigned> || base::KnobType<short>);
  EXPECT_FALSE(base::KnobType<const int> || base::KnobType<const char*> || base::KnobType<std::chrono::seconds>);
}

}  // namespace
