#include "base/config/literal.h"

#include <cmath>

#include "base/config/text.h"
#include "base/config/value.h"

namespace base::config {
namespace {

struct Describe {
  std::string operator()(const Literal::Word& word) const {
    std::int64_t integer = 0;
    double number = 0;
    const bool is_integer = read_value({word}, integer) == Reading::kGood;
    if (is_integer || read_value({word}, number) == Reading::kGood) {
      return (is_integer ? "the integer " : "the number ") + printable(word.text, kShownCharacters);
    }
    return (*this)(word.text);
  }
  std::string operator()(bool value) const { return value ? "the boolean true" : "the boolean false"; }
  std::string operator()(std::int64_t value) const { return "the integer " + plain_text(value); }
  std::string operator()(double value) const { return std::isnan(value) ? "nan" : "the number " + toml_text(value); }
  std::string operator()(const std::string& value) const { return "the text " + in_quotes(value, kShownCharacters); }
  std::string operator()(const Literal::List&) const { return "a list"; }
  std::string operator()(Literal::Table) const { return "a table"; }
  std::string operator()(Literal::Moment) const { return "a date or time"; }
};

}  // namespace

std::string describe(const Literal& literal) {
  return std::visit(Describe{}, literal.value);
}

}  // namespace base::config
