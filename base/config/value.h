// value.h: the types that a knob can hold, read from what a source wrote and printed again. Internal to base/config.
#ifndef BASE_CONFIG_VALUE_H_
#define BASE_CONFIG_VALUE_H_

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/config/literal.h"

namespace base::config {

enum class Reading { kGood, kWrongType, kOutOfRange, kNotUtf8, kHoldsNul };

/// Gives `value` what the literal says; leaves it alone unless the result is kGood.
Reading read_value(const Literal& literal, bool& value);
Reading read_value(const Literal& literal, int& value);
Reading read_value(const Literal& literal, std::int64_t& value);
Reading read_value(const Literal& literal, std::uint64_t& value);
Reading read_value(const Literal& literal, float& value);
Reading read_value(const Literal& literal, double& value);
Reading read_value(const Literal& literal, std::string& value);
Reading read_value(const Literal& literal, std::filesystem::path& value);
Reading read_value(const Literal& literal, std::chrono::milliseconds& value);

/// For people: numbers in their shortest form that is exact, texts in quotes.
std::string plain_text(bool value);
std::string plain_text(int value);
std::string plain_text(std::int64_t value);
std::string plain_text(std::uint64_t value);
std::string plain_text(float value);
std::string plain_text(double value);
std::string plain_text(const std::string& value);
std::string plain_text(const std::filesystem::path& value);
std::string plain_text(std::chrono::milliseconds value);

/// For a TOML file: read_value() of it gives the same value again.
template <typename T>
std::string toml_text(const T& value) {
  return plain_text(value);
}
std::string toml_text(float value);
std::string toml_text(double value);
std::string toml_text(std::chrono::milliseconds value);

/// How messages and help speak of a type.
struct TypeName {
  std::string_view one;         // "an integer"
  std::string_view many;        // "integers"
  std::string_view value_form;  // "INTEGER"
  std::string_view example;     // what a fix offers: "an integer"
  std::string_view list;        // the same for a list, as a word and as TOML has it: "1,2"
  std::string_view toml_list;   // "[1, 2]"
};
template <typename T>
constexpr TypeName type_name() {
  if constexpr (std::same_as<T, bool>) {
    return {"true or false", "", "BOOL", "true or false", "", ""};
  } else if constexpr (std::integral<T>) {
    return {"an integer", "integers", "INTEGER", "an integer", "1,2", "[1, 2]"};
  } else if constexpr (std::floating_point<T>) {
    return {"a number", "numbers", "NUMBER", "a number", "0.5,2", "[0.5, 2]"};
  } else if constexpr (std::same_as<T, std::string>) {
    return {"a text", "texts", "TEXT", "a text in quotes", "a,b", R"(["a", "b"])"};
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return {"a path", "paths", "PATH", "a path in quotes", "a,b", R"(["a", "b"])"};
  } else {
    static_assert(std::same_as<T, std::chrono::milliseconds>);
    return {"a duration", "durations",          "DURATION", "a duration such as 30s or 1h30m",
            "30s,1h30m",  R"(["30s", "1h30m"])"};
  }
}

}  // namespace base::config

#endif  // BASE_CONFIG_VALUE_H_
