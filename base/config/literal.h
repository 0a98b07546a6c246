// literal.h: a value as a source wrote it, before it is known which type its knob wants. Internal to base/config.
#ifndef BASE_CONFIG_LITERAL_H_
#define BASE_CONFIG_LITERAL_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace base::config {

struct Literal {
  /// From a flag or a variable: it has no type yet, 12 may be a number or a text.
  struct Word {
    std::string text;
  };
  struct Table {};   // its keys are of no use: it stands where a value should
  struct Moment {};  // a date or a time: no knob takes one
  using List = std::vector<Literal>;

  std::variant<Word, bool, std::int64_t, double, std::string, List, Table, Moment> value;
};

enum class SourceKind { kFile, kEnvironment, kFlag, kSet };

/// One value that a source gives to a key, which need not be a declared one.
struct Given {
  std::string key;
  Literal value;
  std::string where;  // for messages: "train.toml:3", "--width", "--set width", "SCAFFOLD_SET_WIDTH"
  SourceKind source;
};

/// The value with its type, for messages: `the integer 3`, `the text "abc"`, `a table`.
std::string describe(const Literal& literal);

}  // namespace base::config

#endif  // BASE_CONFIG_LITERAL_H_
