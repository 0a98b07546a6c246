// value.h: what an answer may be, and what templates see of it.
#ifndef GENERATOR_VALUE_H_
#define GENERATOR_VALUE_H_

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace generator {

using Value = std::variant<bool, std::string, std::vector<std::string>>;

/// By name: the answers, and what follows from the project's name.
using Variables = std::map<std::string, Value>;

}  // namespace generator

#endif  // GENERATOR_VALUE_H_
