// Which declared key a misspelt one most likely means, judged by a second, naive reading of the same definition.
#include "base/config/suggestion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/log/suggest.h"
#include "tests/config/support.h"

namespace {

using base::edit_distance;
using base::config::key_distance;
using base::config::nearest_key;

// The textbook recursion over the last characters, with a memory.
std::size_t naive_distance(const std::string& a, const std::string& b) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  const std::function<std::size_t(std::size_t, std::size_t)> of = [&](std::size_t i, std::size_t j) -> std::size_t {
    if (i == 0 || j == 0) return i + j;
    const auto memory = known.find({i, j});
    if (memory != known.end()) return memory->second;
    std::size_t best = of(i - 1, j) + 1;
    best = std::min(best, of(i, j - 1) + 1);
    best = std::min(best, of(i - 1, j - 1) + (a[i - 1] != b[j - 1] ? 1 : 0));
    if (i >= 2 && j >= 2 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = std::min(best, of(i - 2, j - 2) + 1);
    return known[{i, j}] = best;
  };
  return of(a.size(), b.size());
}

std::string last_of(const std::string& key) {
  std::string name;
  for (const char c : key) {
    name += c;
    if (c == '.') name.clear();
  }
  return name;
}

double naive_part(const std::string& a, const std::string& b) {
  if (a.empty() && b.empty()) return 0;
  return static_cast<double>(naive_distance(a, b)) / static_cast<double>(a.size() > b.size() ? a.size() : b.size());
}

std::string naive_nearest(const std::string& key, const std::vector<std::string>& declared) {
  std::string best;
  double smallest = 1'000'000;
  for (const std::string& candidate : declared) {
    const double whole = naive_part(key, candidate);
    const double last = 0.1 + naive_part(last_of(key), last_of(candidate));
    if (std::min(whole, last) >= smallest) continue;
    smallest = std::min(whole, last);
    best = candidate;
  }
  return best;
}

const std::vector<std::string>& all_keys() {
  static const std::vector<std::string> keys{"data",           "width",
                                             "save_every",     "layers",
                                             "tags",           "shuffle",
                                             "name",           "optimizer.learning_rate",
                                             "optimizer.kind", "optimizer.nesterov"};
  return keys;
}

// A real key with some edits, or a word of its own.
rc::Gen<std::string> any_key() {
  const auto letter = rc::gen::elementOf(std::string("abcdefghijklmnoprstuwyz_.0"));
  const auto edited = rc::gen::exec([letter] {
    std::string key = *rc::gen::elementOf(all_keys());
    for (int edits = *rc::gen::inRange(1, 5); edits > 0; --edits) {
      const auto at = *rc::gen::inRange<std::size_t>(0, key.size() + 1);
      const int what = *rc::gen::inRange(0, 4);
      if (what == 0) key.insert(at, 1, *letter);
      if (what == 1 && at < key.size()) key.erase(at, 1);
      if (what == 2 && at < key.size()) key[at] = *letter;
      if (what == 3 && at + 1 < key.size()) std::swap(key[at], key[at + 1]);
    }
    return key;
  });
  return rc::gen::oneOf(edited, rc::gen::container<std::string>(letter));
}

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("width", "width"), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("widh", "width"), 1u);
  EXPECT_EQ(edit_distance("widtth", "width"), 1u);
  EXPECT_EQ(edit_distance("wodth", "width"), 1u);
  EXPECT_EQ(edit_distance("widht", "width"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, EditsNoPartTwice) {
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // 2 if a letter could be put between two that were swapped
}

TEST(KeyDistance, IsAPartOfTheLongerKey) {
  EXPECT_DOUBLE_EQ(key_distance("width", "width"), 0);
  EXPECT_DOUBLE_EQ(key_distance("widht", "width"), 1.0 / 5);
  EXPECT_DOUBLE_EQ(key_distance("optimiser.learning_rate", "optimizer.learning_rate"), 1.0 / 23);
  EXPECT_DOUBLE_EQ(key_distance("lr", "data"), 1);
  EXPECT_DOUBLE_EQ(key_distance("", ""), 0);
}

TEST(KeyDistance, IsThatOfTheLastNamesAndATenthWhenThatIsLess) {
  EXPECT_DOUBLE_EQ(key_distance("learning_rate", "optimizer.learning_rate"), 0.1);
  EXPECT_DOUBLE_EQ(key_distance("lerning_rate", "optimizer.learning_rate"), 0.1 + 1.0 / 13);
  EXPECT_DOUBLE_EQ(key_distance("model.learning_rate", "optimizer.learning_rate"), 0.1);
  EXPECT_DOUBLE_EQ(key_distance("a.b.c", "c"), 0.1);
}

TEST(NearestKey, FindsTheKeyThatIsMeant) {
  EXPECT_EQ(nearest_key("widht", all_keys()), "width");
  EXPECT_EQ(nearest_key("learning_rate", all_keys()), "optimizer.learning_rate");
  EXPECT_EQ(nearest_key("optimizer.knid", all_keys()), "optimizer.kind");
  EXPECT_EQ(nearest_key("saveevery", all_keys()), "save_every");
  EXPECT_EQ(nearest_key("_width", all_keys()), "width");
}

TEST(NearestKey, IsNotAnyKeyThatIsShort) {
  const std::vector<std::string> keys{"data", "optimizer.learning_rate"};
  EXPECT_EQ(nearest_key("optimiser.lr", keys), "optimizer.learning_rate");
}

TEST(NearestKey, IsTheFirstDeclaredOfThoseEquallyNear) {
  const std::vector<std::string> keys{"bat", "cat", "hat"};
  EXPECT_EQ(nearest_key("rat", keys), "bat");
  const std::vector<std::string> twins{"b.x", "a.x"};
  EXPECT_EQ(nearest_key("x", twins), "b.x");
}

TEST(NearestKey, IsAlwaysThereUnlessNothingIsDeclared) {
  EXPECT_EQ(nearest_key("", all_keys()), "data");
  EXPECT_EQ(nearest_key("qqqqqqqqqqqqqqqqqqqqqq", all_keys()), naive_nearest("qqqqqqqqqqqqqqqqqqqqqq", all_keys()));
  EXPECT_EQ(nearest_key("width", {}), "");
}

TEST(NearestKey, LooksAtTheStartOfAnEndlessKeyOnly) {
  EXPECT_EQ(nearest_key(std::string(16 << 20, 'w'), all_keys()), naive_nearest(std::string(128, 'w'), all_keys()));
}

RC_GTEST_PROP(SuggestionProperty, DistanceIsThatOfTheNaiveReference, ()) {
  const std::string a = *any_key();
  const std::string b = *any_key();
  RC_ASSERT(edit_distance(a, b) == naive_distance(a, b));
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

RC_GTEST_PROP(SuggestionProperty, AnUnknownKeyInAFileSuggestsTheNearest, ()) {
  std::string key = *any_key();
  // As a TOML key it has to stand on its own: no empty names, nothing that is declared.
  std::replace(key.begin(), key.end(), '.', '_');
  RC_PRE(!key.empty() && std::find(all_keys().begin(), all_keys().end(), key) == all_keys().end() &&
         key != "optimizer");
  const bool in_section = *rc::gen::arbitrary<bool>();
  RC_PRE(!in_section || (key != "kind" && key != "learning_rate" && key != "nesterov"));
  const std::string whole = in_section ? "optimizer." + key : key;
  RC_PRE(whole.size() <= 60u);
  RC_ASSERT(config_test::file_refusal(whole + " = 1") == "exit 4, config error: unknown setting: " + whole +
                                                             " (train.toml:1)\n  fix: did you mean " +
                                                             naive_nearest(whole, all_keys()) + "? (--help lists all)");
}

RC_GTEST_PROP(SuggestionProperty, AnUnknownFlagSuggestsTheNearest, ()) {
  const std::string key = *any_key();
  std::vector<std::string> flags = all_keys();
  flags.insert(flags.end(), {"config", "set", "help"});
  RC_PRE(!key.empty() && std::find(flags.begin(), flags.end(), key) == flags.end() && key != "optimizer");
  RC_PRE(key.size() <= 58u);
  RC_ASSERT(config_test::refusal({"--" + key}) == "exit 3, usage error: unknown flag: --" + key +
                                                      "\n  fix: did you mean --" + naive_nearest(key, flags) +
                                                      "? (--help lists all)");
}

RC_GTEST_PROP(SuggestionProperty, AnUnknownVariableSuggestsTheNearest, ()) {
  std::string key = *any_key();
  // Neighbouring dots and underscores cannot be told apart in a variable's name.
  RC_PRE(!key.empty() && key.find("..") == key.npos && key.find("__") == key.npos && key.find("._") == key.npos &&
         key.find("_.") == key.npos);
  RC_PRE(std::find(all_keys().begin(), all_keys().end(), key) == all_keys().end() && key != "optimizer");
  const auto as_variable = [](const std::string& text) {
    std::string name = "SCAFFOLD_SET_";
    for (const char c : text) name += c == '.' ? std::string("__") : std::string(1, static_cast<char>(std::toupper(c)));
    return name;
  };
  const config_test::Environment environment{as_variable(key) + "=1"};
  RC_ASSERT(config_test::refusal({}, {.environment = environment.block()}) ==
            "exit 4, config error: unknown variable: " + as_variable(key) + "\n  fix: did you mean " +
                as_variable(naive_nearest(key, all_keys())) + "? (--help lists all)");
}

}  // namespace
