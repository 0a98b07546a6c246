#include "base/config/value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/config/duration.h"
#include "base/config/text.h"

namespace base::config {
namespace {

// The whole word as a number, or why it is none. A plus in front is allowed, as in TOML; from_chars knows none.
template <typename T>
Reading read_number(std::string_view word, T& number) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  T read{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), read);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) return Reading::kWrongType;
  if (error != std::errc{}) return Reading::kOutOfRange;
  number = read;
  return Reading::kGood;
}

template <typename T>
Reading read_integer(const Literal& literal, T& value) {
  std::int64_t integer = 0;
  if (const auto* word = std::get_if<Literal::Word>(&literal.value)) {
    const Reading reading = read_number(word->text, integer);
    if (reading != Reading::kGood) return reading;
  } else if (const auto* given = std::get_if<std::int64_t>(&literal.value)) {
    integer = *given;
  } else {
    return Reading::kWrongType;
  }
  if (!std::in_range<T>(integer)) return Reading::kOutOfRange;
  value = static_cast<T>(integer);
  return Reading::kGood;
}

// All texts must be what a TOML file can hold, so that they can be written back.
Reading read_text(const Literal& literal, std::string& value) {
  const auto* word = std::get_if<Literal::Word>(&literal.value);
  const auto* given = std::get_if<std::string>(&literal.value);
  if (word == nullptr && given == nullptr) return Reading::kWrongType;
  const std::string& text = word != nullptr ? word->text : *given;
  if (!valid_utf8(text)) return Reading::kNotUtf8;
  if (text.find('\0') != std::string::npos) return Reading::kHoldsNul;
  value = text;
  return Reading::kGood;
}

template <typename T>
std::string print_number(T value) {
  std::array<char, 32> buffer{};  // the longest double takes 24
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

// TOML tells numbers from integers by their look.
std::string as_toml_number(const std::string& text) {
  const bool is_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_integer ? text + ".0" : text;
}

}  // namespace

Reading read_value(const Literal& literal, bool& value) {
  if (const auto* given = std::get_if<bool>(&literal.value)) {
    value = *given;
    return Reading::kGood;
  }
  const auto* word = std::get_if<Literal::Word>(&literal.value);
  if (word == nullptr || (word->text != "true" && word->text != "false")) return Reading::kWrongType;
  value = word->text == "true";
  return Reading::kGood;
}

Reading read_value(const Literal& literal, int& value) {
  return read_integer(literal, value);
}

Reading read_value(const Literal& literal, std::int64_t& value) {
  return read_integer(literal, value);
}

Reading read_value(const Literal& literal, std::uint64_t& value) {
  return read_integer(literal, value);
}

Reading read_value(const Literal& literal, double& value) {
  double number = 0;
  if (const auto* word = std::get_if<Literal::Word>(&literal.value)) {
    const Reading reading = read_number(word->text, number);
    if (reading != Reading::kGood) return reading;
  } else if (const auto* given = std::get_if<double>(&literal.value)) {
    number = *given;
  } else if (const auto* integer = std::get_if<std::int64_t>(&literal.value)) {
    number = static_cast<double>(*integer);
  } else {
    return Reading::kWrongType;
  }
  if (std::isnan(number)) return Reading::kWrongType;
  value = number;
  return Reading::kGood;
}

// A float is read by way of a double, so that a file and a flag agree to the last bit.
Reading read_value(const Literal& literal, float& value) {
  double number = 0;
  const Reading reading = read_value(literal, number);
  if (reading != Reading::kGood) return reading;
  const auto narrowed = static_cast<float>(number);
  if (std::isinf(narrowed) && !std::isinf(number)) return Reading::kOutOfRange;
  value = narrowed;
  return Reading::kGood;
}

Reading read_value(const Literal& literal, std::string& value) {
  return read_text(literal, value);
}

Reading read_value(const Literal& literal, std::filesystem::path& value) {
  std::string text;
  const Reading reading = read_text(literal, text);
  if (reading == Reading::kGood) value = text;
  return reading;
}

Reading read_value(const Literal& literal, std::chrono::milliseconds& value) {
  std::string text;
  const Reading reading = read_text(literal, text);
  if (reading == Reading::kWrongType) return reading;
  const std::optional<std::chrono::milliseconds> duration = parse_duration(text);
  if (!duration) return Reading::kWrongType;
  value = *duration;
  return Reading::kGood;
}

std::string plain_text(bool value) {
  return value ? "true" : "false";
}

std::string plain_text(int value) {
  return std::to_string(value);
}

std::string plain_text(std::int64_t value) {
  return std::to_string(value);
}

std::string plain_text(std::uint64_t value) {
  return std::to_string(value);
}

std::string plain_text(float value) {
  std::string text = print_number(value);
  // Read by way of a double, the shortest form is rounded twice. Of all floats only 7.038531e-26 and its negative come
  // out as another one, so those two are printed as the doubles that they are.
  float read = 0;
  const bool exact = read_value({Literal::Word{text}}, read) != Reading::kGood || read == value;
  return exact ? text : print_number(static_cast<double>(value));
}

std::string plain_text(double value) {
  return print_number(value);
}

std::string plain_text(const std::string& value) {
  return in_quotes(value);
}

std::string plain_text(const std::filesystem::path& value) {
  return in_quotes(value.string());
}

std::string plain_text(std::chrono::milliseconds value) {
  return print_duration(value);
}

std::string toml_text(float value) {
  return as_toml_number(plain_text(value));
}

std::string toml_text(double value) {
  return as_toml_number(plain_text(value));
}

std::string toml_text(std::chrono::milliseconds value) {
  return in_quotes(plain_text(value));
}

}  // namespace base::config
