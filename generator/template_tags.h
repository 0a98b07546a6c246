// template_tags.h: the tags of a template, found before inja reads it: a hostile template must not take it down.
#ifndef GENERATOR_TEMPLATE_TAGS_H_
#define GENERATOR_TEMPLATE_TAGS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/log/error.h"

namespace generator {

/// Where a text stands, for errors: its first line is this line of that file.
struct Origin {
  std::string file;
  int line = 1;
};

/// Something wrong at a position of the text: "README.md:3: unknown variable: nmae".
base::Error template_error(std::string_view text, std::size_t at, const Origin& origin, const std::string& what,
                           const std::string& value, const std::string& fix);

/// <@ an expression @>, <% a statement %>, <# a comment #> or @@@@ a line that is a statement.
struct TemplateTag {
  enum class Kind { kExpression, kStatement, kComment, kLine };

  Kind kind = Kind::kExpression;
  std::size_t start = 0;
  std::size_t end = 0;  // of the whole tag, its delimiters included
};

/// The tags from first to last. Those that inja cannot bear, or that would let a template grow without end, are
/// errors: deep nesting, huge expressions, statements other than `if` and `for`, the pipe.
std::vector<TemplateTag> find_tags(std::string_view text, const Origin& origin);

/// The text with every line that holds nothing but statements and comments drawn into its last tag, so that it leaves
/// nothing behind and yet every line keeps its number. (inja's own trimming eats spaces within lines too.)
std::string without_tag_lines(std::string_view text, const std::vector<TemplateTag>& tags);

}  // namespace generator

#endif  // GENERATOR_TEMPLATE_TAGS_H_
