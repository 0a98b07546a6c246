// template_text.h: one text with tags in it: checked, rendered. The only user of inja in this folder.
#ifndef GENERATOR_TEMPLATE_TEXT_H_
#define GENERATOR_TEMPLATE_TEXT_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generator/template_tags.h"
#include "generator/value.h"

namespace generator {

/// Fills the tags in. What is wrong with the text or unknown to the variables is an error of the config kind with file
/// and line.
std::string render_text(std::string_view text, const Origin& origin, const Variables& variables);

/// The same for a path: what objection_to_path() has something against is an error too.
std::string render_path(std::string_view text, const Origin& origin, const Variables& variables);

/// Whether a condition such as `cuda` or `task == "regression"` holds; an empty one does.
bool holds(const std::string& condition, const Origin& origin, const Variables& variables);

/// By name: the values that a variable may have, none if any.
using KnownVariables = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Reads the text as render_text() would, the branches that some answers do not take included: unknown variables and
/// functions, and comparisons with a value that a variable cannot have. Returns the variables it uses.
std::set<std::string> check_text(std::string_view text, const Origin& origin, const KnownVariables& known);
std::set<std::string> check_condition(const std::string& condition, const Origin& origin, const KnownVariables& known);

}  // namespace generator

#endif  // GENERATOR_TEMPLATE_TEXT_H_
