#include "base/config/typed_knob.h"

#include <algorithm>

#include "base/config/toml_parser.h"

namespace base::config {

std::optional<Literal::List> list_elements(const Literal& literal) {
  if (const auto* list = std::get_if<Literal::List>(&literal.value)) return *list;
  const auto* word = std::get_if<Literal::Word>(&literal.value);
  if (word == nullptr || word->text.empty())
    return std::nullopt;  // an empty list is written [], to be sure it is meant
  if (word->text[0] == '[') return parse_toml_list(word->text);

  Literal::List list;
  std::string_view rest = word->text;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::string_view element = rest.substr(0, comma);
    const std::size_t begin = std::min(element.find_first_not_of(' '), element.size());
    element = element.substr(begin, element.find_last_not_of(' ') + 1 - begin);
    list.push_back({Literal::Word{std::string(element)}});
    if (comma == std::string_view::npos) return list;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace base::config
