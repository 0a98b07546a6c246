// What must hold for any values: written back and read again they are the same, all sources agree, numbers out of range
// are always refused, and no file brings the program down.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/config/duration.h"
#include "base/log/format.h"
#include "tests/config/support.h"

namespace {

using std::chrono::milliseconds;
using Path = std::filesystem::path;

struct Lists {
  std::vector<int> small;
  std::vector<std::int64_t> large;
  std::vector<std::uint64_t> counts;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::string> texts;
  std::vector<Path> paths;
  std::vector<milliseconds> durations;

  void declare(base::Knobs& knobs) {
    knobs.add("small", small, "ints");
    knobs.add("large", large, "int64s");
    knobs.add("counts", counts, "uint64s");
    knobs.add("floats", floats, "floats");
    knobs.add("doubles", doubles, "doubles");
    knobs.add("texts", texts, "strings");
    knobs.add("paths", paths, "paths");
    knobs.add("durations", durations, "durations");
  }
  bool operator==(const Lists&) const = default;
};

struct Scalars {
  bool flag = false;
  int small = 0;
  std::int64_t large = 0;
  std::uint64_t count = 0;
  float single = 0;
  double precise = 0;
  std::string text;
  Path path;
  milliseconds duration{};
  Lists lists;

  void declare(base::Knobs& knobs) {
    knobs.add("flag", flag, "a bool");
    knobs.add("small", small, "an int");
    knobs.add("large", large, "an int64");
    knobs.add("count", count, "a uint64");
    knobs.add("single", single, "a float");
    knobs.add("precise", precise, "a double");
    knobs.section("lists", lists, "of everything");
    knobs.add("text", text, "a string");
    knobs.add("path", path, "a path");
    knobs.add("duration", duration, "a duration");
  }
  bool operator==(const Scalars&) const = default;
};

struct Any {
  Scalars top;
  Scalars nested;

  void declare(base::Knobs& knobs) {
    top.declare(knobs);
    knobs.section("nested", nested, "the same once more");
  }
  bool operator==(const Any&) const = default;
};

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Every character but NUL, with a liking for those that mean something to TOML, a shell or a parser of flags.
rc::Gen<std::string> any_text() {
  const auto code = rc::gen::weightedOneOf<std::uint32_t>(
      {{4, rc::gen::cast<std::uint32_t>(rc::gen::elementOf(std::string("\"'\\[]{},=#.-~ \n\r\t:+_$%")))},
       {3, rc::gen::inRange<std::uint32_t>('a', 'z' + 1)},
       {1, rc::gen::inRange<std::uint32_t>(1, 0x20)},
       {1, rc::gen::inRange<std::uint32_t>(0x7F, 0x100)},
       {1, rc::gen::inRange<std::uint32_t>(0x100, 0xD800)},
       {1, rc::gen::inRange<std::uint32_t>(0xE000, 0x10000)},
       {1, rc::gen::inRange<std::uint32_t>(0x10000, 0x110000)}});
  return rc::gen::map(rc::gen::container<std::vector<std::uint32_t>>(code),
                      [](const std::vector<std::uint32_t>& codes) {
                        std::string text;
                        for (const std::uint32_t c : codes) append_utf8(text, c);
                        return text;
                      });
}

// A path that starts with ~ becomes another one, so it cannot come back.
rc::Gen<Path> any_path() {
  return rc::gen::map(any_text(),
                      [](const std::string& text) { return Path(text.starts_with('~') ? "./" + text : text); });
}

// All bits are equally likely, so that all magnitudes are; plus what people write.
template <typename Float, typename Bits>
rc::Gen<Float> any_float() {
  const auto raw = rc::gen::map(rc::gen::arbitrary<Bits>(), [](Bits bits) { return std::bit_cast<Float>(bits); });
  const auto wide = rc::gen::map(rc::gen::inRange<Bits>(0, std::numeric_limits<Bits>::max()),
                                 [](Bits bits) { return std::bit_cast<Float>(bits); });
  using Limits = std::numeric_limits<Float>;
  const auto special =
      rc::gen::element<Float>(0, Float(-0.0), 1, -1, Float(0.1), Limits::max(), Limits::lowest(), Limits::min(),
                              Limits::denorm_min(), Limits::epsilon(), Limits::infinity(), -Limits::infinity());
  return rc::gen::map(rc::gen::oneOf(raw, wide, special),
                      [](Float value) { return std::isnan(value) ? Float(1) : value; });
}

template <typename T>
rc::Gen<T> any_integer() {
  return rc::gen::oneOf(rc::gen::arbitrary<T>(), rc::gen::inRange<T>(0, std::numeric_limits<T>::max()),
                        rc::gen::element<T>(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

rc::Gen<std::uint64_t> any_count() {
  return rc::gen::map(any_integer<std::int64_t>(), [](std::int64_t value) {
    return static_cast<std::uint64_t>(value) & std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  });
}

rc::Gen<milliseconds> any_duration() {
  return rc::gen::map(any_integer<std::int64_t>(), [](std::int64_t value) { return milliseconds(value); });
}

template <typename T>
rc::Gen<std::vector<T>> list_of(const rc::Gen<T>& element) {
  return rc::gen::container<std::vector<T>>(element);
}

Lists any_lists() {
  Lists lists;
  lists.small = *list_of(any_integer<int>());
  lists.large = *list_of(any_integer<std::int64_t>());
  lists.counts = *list_of(any_count());
  lists.floats = *list_of(any_float<float, std::uint32_t>());
  lists.doubles = *list_of(any_float<double, std::uint64_t>());
  lists.texts = *list_of(any_text());
  lists.paths = *list_of(any_path());
  lists.durations = *list_of(any_duration());
  return lists;
}

Scalars any_scalars() {
  Scalars settings;
  settings.flag = *rc::gen::arbitrary<bool>();
  settings.small = *any_integer<int>();
  settings.large = *any_integer<std::int64_t>();
  settings.count = *any_count();
  settings.single = *any_float<float, std::uint32_t>();
  settings.precise = *any_float<double, std::uint64_t>();
  settings.text = *any_text();
  settings.path = *any_path();
  settings.duration = *any_duration();
  settings.lists = any_lists();
  return settings;
}

RC_GTEST_PROP(SettingsProperty, WrittenBackAndReadAgainTheyAreTheSame, ()) {
  const Any settings{any_scalars(), any_scalars()};
  const std::string text = base::settings_toml(settings, {{"nested.text", *any_text()}});
  const Any again = config_test::loaded_file<Any>(text);
  RC_ASSERT(again == settings);
  RC_ASSERT(std::signbit(again.top.precise) == std::signbit(settings.top.precise));
  RC_ASSERT(base::settings_toml(again) == base::settings_toml(settings));
}

// The lines `key = value` of a written file, taken apart without its reader.
std::vector<std::pair<std::string, std::string>> assignments(const std::string& toml) {
  std::vector<std::pair<std::string, std::string>> found;
  std::istringstream lines(toml);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[') {
      section = line.substr(1, line.size() - 2) + '.';
    } else {
      const std::size_t equals = line.find(" = ");
      std::string value = line.substr(equals + 3);
      if (value == "[") {  // an element a line
        for (std::string element; std::getline(lines, element) && element != "]";) value += element;
        value += ']';
      }
      found.emplace_back(section + line.substr(0, equals), value);
    }
  }
  return found;
}

// What a knob takes on the command line: texts and durations stand there without quotes.
std::string as_word(const Any& settings, const std::string& key, const std::string& toml) {
  const bool nested = key.starts_with("nested.");
  const Scalars& part = nested ? settings.nested : settings.top;
  const std::string name = nested ? key.substr(7) : key;
  if (name == "text") return part.text;
  if (name == "path") return part.path.string();
  if (name == "duration") return base::print_duration(part.duration);
  return toml;
}

RC_GTEST_PROP(SettingsProperty, TheyAreTheSameFromAFileFromFlagsAndFromTheEnvironment, ()) {
  const Any settings{any_scalars(), any_scalars()};
  const std::string toml = base::settings_toml(settings);
  std::vector<std::string> flags;
  std::vector<std::string> variables;
  for (const auto& [key, value] : assignments(toml)) {
    const std::string word = as_word(settings, key, value);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        flags.push_back(base::format("--{}={}", key, word));
        break;
      case 1:
        flags.push_back(base::format("--set={}={}", key, word));
        break;
      default:
        if (word.starts_with("--") || word == "-h") {
          flags.push_back(base::format("--{}={}", key, word));
        } else {
          flags.insert(flags.end(), {"--" + key, word});
        }
    }
    std::string name = "SCAFFOLD_SET_";
    for (const char c : key) name += c == '.' ? std::string("__") : std::string(1, static_cast<char>(std::toupper(c)));
    variables.push_back(base::format("{}={}", name, word));
  }
  const config_test::Environment environment(variables);
  RC_ASSERT(flags.size() >= 34u && variables.size() == 34u);
  RC_ASSERT(config_test::loaded<Any>(flags) == settings);
  RC_ASSERT(config_test::loaded<Any>({}, {.environment = environment.block()}) == settings);
  RC_ASSERT(config_test::loaded_file<Any>(toml) == settings);
}

RC_GTEST_PROP(SettingsProperty, NumbersOutOfRangeAreRefused, (int a, int b, int given)) {
  const int min = std::min(a, b);
  const int max = std::max(a, b);
  const config_test::One<int> settings{min, {.min = min, .max = max}};
  const std::string number = std::to_string(given);
  const std::string fix = "\n  fix: give an integer from " + std::to_string(min) + " to " + std::to_string(max);
  const bool inside = min <= given && given <= max;
  RC_ASSERT(config_test::refusal(settings, {"--value", number}) ==
            (inside ? "accepted" : "exit 3, usage error: value is out of range: " + number + " (--value)" + fix));
  RC_ASSERT(config_test::file_refusal("value = " + number, settings) ==
            (inside ? "accepted" : "exit 4, config error: value is out of range: " + number + " (train.toml:1)" + fix));
}

RC_GTEST_PROP(SettingsProperty, IntegersBeyondTheirTypeAreRefused, ()) {
  const auto given = *any_integer<std::int64_t>();
  const std::string number = std::to_string(given);
  const bool fits = given >= std::numeric_limits<int>::min() && given <= std::numeric_limits<int>::max();
  RC_ASSERT(config_test::refusal(config_test::One<int>{}, {"--value=" + number}) ==
            (fits ? "accepted"
                  : "exit 3, usage error: value is out of range: " + number +
                        " (--value)\n  fix: give an integer from -2147483648 to 2147483647"));
  RC_ASSERT(config_test::refusal(config_test::One<std::uint64_t>{}, {"--value=" + number}) ==
            (given >= 0 ? "accepted"
                        : "exit 3, usage error: value is out of range: " + number +
                              " (--value)\n  fix: give an integer from 0 to 9223372036854775807"));
}

RC_GTEST_PROP(SettingsProperty, DurationsOutOfRangeAreRefused, ()) {
  const milliseconds a = *any_duration();
  const milliseconds b = *any_duration();
  const milliseconds given = *any_duration();
  const config_test::One<milliseconds> settings{std::min(a, b), {.min = std::min(a, b), .max = std::max(a, b)}};
  const bool inside = std::min(a, b) <= given && given <= std::max(a, b);
  RC_ASSERT(config_test::refusal(settings, {"--value", base::print_duration(given)}) ==
            (inside ? "accepted"
                    : "exit 3, usage error: value is out of range: " + base::print_duration(given) +
                          " (--value)\n  fix: give a duration from " + base::print_duration(std::min(a, b)) + " to " +
                          base::print_duration(std::max(a, b))));
}

// Loads the bytes as a file; fails only by a crash or by an exception that is no Error.
bool survives(const std::string& bytes) {
  const std::string outcome = config_test::file_refusal<config_test::Sample>(bytes);
  return outcome == "accepted" || outcome.starts_with("exit 4, config error: ");
}

RC_GTEST_PROP(HostileFile, OfRandomBytesIsReadOrRefused, (const std::string& bytes)) {
  RC_ASSERT(survives(bytes));
}

RC_GTEST_PROP(HostileFile, OfRandomPiecesOfTomlIsReadOrRefused, ()) {
  const std::vector<std::string> pieces{
      "width", "optimizer", "kind", "inherits", "x",          "=",    ".",    "[",        "]",
      "[[",    "]]",        "{",    "}",        ",",          "\"",   "'",    R"(""")",   "'''",
      "\n",    " ",         "#",    "1",        "-",          "_",    "1e9",  "0x",       "true",
      "inf",   "nan",       "\\u",  "\\",       "2024-01-01", "\r\n", "\xFF", "\xC3\xA9", "12:00:00.5"};
  std::string text;
  for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)))
    text += piece;
  RC_ASSERT(survives(text));
}

RC_GTEST_PROP(HostileFile, OfADamagedGoodFileIsReadOrRefused, ()) {
  std::string text = base::settings_toml(config_test::Sample{});
  for (int edits = *rc::gen::inRange(1, 20); edits > 0; --edits) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const int what = *rc::gen::inRange(0, 4);
    if (what == 0) text[at] = static_cast<char>(*rc::gen::inRange(0, 256));
    if (what == 1) text.erase(at, *rc::gen::inRange<std::size_t>(1, 30));
    if (what == 2) text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), 40));
    if (what == 3) text[at] = *rc::gen::elementOf(std::string("[]{}=\"'.,\n#"));
    if (text.empty()) break;
  }
  RC_ASSERT(survives(text));
}

RC_GTEST_PROP(HostileCommandLine, IsReadOrRefused, ()) {
  const std::vector<std::string> pieces{"--width",   "--set", "--layers", "--config",  "--optimizer.kind",
                                        "--shuffle", "=",     "-",        "--",        "[",
                                        "]",         "1",     "a",        ",",         "\xFF",
                                        "\n",        "",      "width",    "optimizer", "."};
  std::vector<std::string> arguments;
  for (const auto& parts : *rc::gen::container<std::vector<std::vector<std::string>>>(
           rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)))) {
    std::string argument;
    for (const std::string& part : parts) argument += part;
    arguments.push_back(argument);
  }
  const std::string outcome = config_test::refusal(arguments);
  RC_ASSERT(outcome == "accepted" || outcome.starts_with("exit 3, usage error: ") ||
            outcome.starts_with("exit 4, config error: "));
}

}  // namespace
