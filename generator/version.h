// version.h: the version a program says it has.
#ifndef GENERATOR_VERSION_H_
#define GENERATOR_VERSION_H_

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace generator {

/// 3.25.1, or less exactly 3.25: compared number by number, and a prefix is the smaller one, so that `>= {{12}}` holds
/// for every 12.x.
struct Version {
  std::vector<int> numbers;
  std::string written = {};  // as the program wrote it, such as 22.05.8; no part of the comparison

  std::string text() const;
  bool operator==(const Version& other) const { return numbers == other.numbers; }
  auto operator<=>(const Version& other) const { return numbers <=> other.numbers; }
};

/// The version in what a program prints for --version: the first word of the form 1.2 or v1.2.3 outside parentheses,
/// since `g++ (Debian 12.2.0-14) 12.2.0` has the packager's in them.
std::optional<Version> parse_version(std::string_view output);

}  // namespace generator

#endif  // GENERATOR_VERSION_H_
