// json_values.h: numbers in JSON files, so strict that each comes back as it was written or not at all. `Json` is
// nlohmann's, which a .cpp file includes. Whatever does not fit is a std::invalid_argument or one of nlohmann's own.
#ifndef BASE_RECORDS_JSON_VALUES_H_
#define BASE_RECORDS_JSON_VALUES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace base {

/// JSON has no words for nan and the infinities: they become texts.
template <typename Json>
Json number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;  // written with as many digits as it takes to read the same number
}

template <typename Json>
double number_of(const Json& json) {
  if (json.is_number_float()) return json.template get<double>();
  const auto& word = json.template get_ref<const std::string&>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("not a number: " + word);
}

/// get<>() would turn 2.5 into 2 and -1 into a huge number.
template <typename Json>
std::int64_t integer_of(const Json& json) {
  if (!json.is_number_integer()) throw std::invalid_argument("not a whole number");
  if (json.is_number_unsigned() && json.template get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    throw std::invalid_argument("too large a number");
  return json.template get<std::int64_t>();
}

template <typename Json>
std::int64_t count_of(const Json& json) {
  const std::int64_t count = integer_of(json);
  if (count < 0) throw std::invalid_argument("a negative number");
  return count;
}

/// From eight hexadecimal digits.
inline std::uint32_t crc_of(const std::string& hex) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (hex.size() != 8 || !std::ranges::all_of(hex, is_hex)) throw std::invalid_argument("not a checksum: " + hex);
  return static_cast<std::uint32_t>(std::stoul(hex, nullptr, 16));
}

}  // namespace base

#endif  // BASE_RECORDS_JSON_VALUES_H_
