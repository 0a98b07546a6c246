#include "generator/template_text.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <inja/inja.hpp>
#include <memory>

#include "base/log/format.h"
#include "generator/project_path.h"
#include "generator/words.h"

namespace generator {
namespace {

using Operation = inja::FunctionStorage::Operation;

/// With the delimiters that C++, shell, Markdown, TOML and YAML leave alone.
inja::Environment& environment() {
  static inja::Environment environment = [] {
    inja::Environment made;
    made.set_expression("<@", "@>");
    made.set_statement("<%", "%>");
    made.set_comment("<#", "#>");
    made.set_line_statement("@@@@");
    made.set_search_included_templates_in_files(false);
    return made;
  }();
  return environment;
}

std::string nearest(std::string_view word, const KnownVariables& known) {
  std::vector<std::string_view> names;
  for (const auto& [name, values] : known) names.push_back(name);
  return suggestion(word, names, "the variables are " + joined(names));
}

/// inja's own errors count lines from 1, and speak of "variable 'x' not found" and the like.
base::Error error_of(const inja::InjaError& error, const Origin& origin, const KnownVariables& known) {
  const std::size_t line = std::max<std::size_t>(error.location.line, 1) - 1 + static_cast<std::size_t>(origin.line);
  const std::string place = base::format("{}:{}: ", origin.file, line);
  const std::string_view start = "variable '";
  if (error.message.starts_with(start)) {
    const std::string name = error.message.substr(start.size(), error.message.find('\'', start.size()) - start.size());
    return {base::ErrorKind::kConfig, place + "unknown variable", name, nearest(name, known)};
  }
  return {base::ErrorKind::kConfig, place + "the template is wrong", error.message, "correct the template"};
}

inja::Template parse(std::string_view text, const Origin& origin) {
  const std::vector<TemplateTag> tags = find_tags(text, origin);
  try {
    return environment().parse(without_tag_lines(text, tags));
  } catch (const inja::InjaError& error) {
    throw error_of(error, origin, {});
  } catch (const std::exception&) {
    // A literal that is none: JSON's own error does not say where, so each tag is read alone.
    for (const TemplateTag& tag : tags) {
      const std::string alone(text.substr(tag.start, tag.end - tag.start));
      try {
        environment().parse(alone);
      } catch (const inja::InjaError&) {  // an `if` without its `endif`
      } catch (const std::exception&) {
        throw template_error(text, tag.start, origin, "a value that is none", alone, "texts stand in double quotes");
      }
    }
    throw template_error(text, 0, origin, "the template cannot be read", "", "correct the template");
  }
}

nlohmann::json data_of(const Variables& variables) {
  nlohmann::json data = nlohmann::json::object();
  for (const auto& [name, value] : variables) {
    std::visit([&, key = &name](const auto& held) { data[*key] = held; }, value);
  }
  return data;
}

/// A condition as a text that is "1" if it holds.
std::string text_of(const std::string& condition, const Origin& origin) {
  for (const std::string_view delimiter : {"<%", "%>", "<@", "@>", "<#", "#>", "\n"}) {
    if (condition.find(delimiter) == std::string::npos) continue;
    throw template_error(condition, 0, origin, "a condition with a tag in it", condition,
                         R"(write the expression alone: task == "regression")");
  }
  return "<% if " + condition + " %>1<% endif %>";
}

/// Walks over all branches of a parsed template.
class Checker final : public inja::NodeVisitor {
 public:
  Checker(const inja::Template& parsed, const Origin& origin, const KnownVariables& known)
      : parsed_(parsed), origin_(origin), known_(known) {}

  std::set<std::string> check() {
    parsed_.root.accept(*this);
    return used_;
  }

  void visit(const inja::BlockNode& node) override {
    for (const auto& part : node.nodes) part->accept(*this);
  }
  void visit(const inja::TextNode&) override {}
  void visit(const inja::ExpressionNode&) override {}
  void visit(const inja::LiteralNode&) override {}

  void visit(const inja::DataNode& node) override {
    const bool is_loop = !loops_.empty() && (node.name == "loop.index" || node.name == "loop.index1" ||
                                             node.name == "loop.is_first" || node.name == "loop.is_last");
    if (is_loop || std::find(loops_.begin(), loops_.end(), node.name) != loops_.end()) return;
    if (!known_.contains(node.name)) fail(node, "unknown variable", node.name, nearest(node.name, known_));
    used_.insert(node.name);
  }

  void visit(const inja::FunctionNode& node) override {
    // The others can crash on values of another kind, or grow without end.
    switch (node.operation) {
      case Operation::Equal:
      case Operation::NotEqual:
        check_value(*node.arguments[0], *node.arguments[1]);
        check_value(*node.arguments[1], *node.arguments[0]);
        break;
      case Operation::In:
        check_value(*node.arguments[1], *node.arguments[0]);
        break;
      case Operation::Not:
      case Operation::And:
      case Operation::Or:
      case Operation::Greater:
      case Operation::GreaterEqual:
      case Operation::Less:
      case Operation::LessEqual:
      case Operation::Add:
      case Operation::Upper:
      case Operation::Lower:
      case Operation::Capitalize:
      case Operation::Length:
      case Operation::Replace:
      case Operation::Join:
        break;
      default:
        fail(node, "unknown function", node.name.empty() ? "an operator" : node.name,
             "templates know not, and, or, in, the comparisons, +, upper, lower, capitalize, length, replace and join");
    }
    for (const auto& argument : node.arguments) argument->accept(*this);
  }

  void visit(const inja::ExpressionListNode& node) override {
    if (node.root == nullptr) fail(node, "an empty expression", "", "name a variable");
    node.root->accept(*this);
  }
  void visit(const inja::StatementNode&) override {}
  void visit(const inja::ForStatementNode&) override {}
  void visit(const inja::ForArrayStatementNode& node) override { check_loop(node, {node.value}); }
  void visit(const inja::ForObjectStatementNode& node) override { check_loop(node, {node.key, node.value}); }
  void visit(const inja::IfStatementNode& node) override {
    node.condition.accept(*this);
    node.true_statement.accept(*this);
    node.false_statement.accept(*this);
  }
  // find_tags() lets none of these through.
  void visit(const inja::IncludeStatementNode&) override {}
  void visit(const inja::ExtendsStatementNode&) override {}
  void visit(const inja::BlockStatementNode&) override {}
  void visit(const inja::SetStatementNode&) override {}

 private:
  [[noreturn]] void fail(const inja::AstNode& node, const std::string& what, const std::string& value,
                         const std::string& fix) const {
    throw template_error(parsed_.content, node.pos, origin_, what, value, fix);
  }

  void check_loop(const inja::ForStatementNode& node, const std::vector<std::string>& names) {
    node.condition.accept(*this);
    loops_.insert(loops_.end(), names.begin(), names.end());
    node.body.accept(*this);
    loops_.resize(loops_.size() - names.size());
  }

  /// `task == "regresion"` would quietly never hold.
  void check_value(const inja::ExpressionNode& variable, const inja::ExpressionNode& value) const {
    const auto* const name = dynamic_cast<const inja::DataNode*>(&variable);
    const auto* const literal = dynamic_cast<const inja::LiteralNode*>(&value);
    if (name == nullptr || literal == nullptr || !literal->value.is_string()) return;
    const auto found = known_.find(name->name);
    if (found == known_.end() || found->second.empty()) return;
    const std::string text = literal->value.get<std::string>();
    const std::vector<std::string_view> values(found->second.begin(), found->second.end());
    if (std::find(values.begin(), values.end(), text) != values.end()) return;
    fail(value, "`" + name->name + "` is never this", text,
         suggestion(text, values, "compare it with one of its choices"));
  }

  const inja::Template& parsed_;
  const Origin& origin_;
  const KnownVariables& known_;
  std::vector<std::string> loops_;  // the variables of the loops around
  std::set<std::string> used_;
};

}  // namespace

std::string render_text(std::string_view text, const Origin& origin, const Variables& variables) {
  if (text.find('<') == std::string_view::npos && text.find("@@@@") == std::string_view::npos) return std::string(text);
  const inja::Template parsed = parse(text, origin);
  try {
    return environment().render(parsed, data_of(variables));
  } catch (const inja::InjaError& error) {
    KnownVariables known;
    for (const auto& [name, value] : variables) known[name] = {};
    throw error_of(error, origin, known);
  } catch (const std::exception& error) {
    // A list where a text belongs: inja hands on JSON's complaint, "[json.exception.type_error.302] type must be ...".
    throw template_error(text, 0, origin, "a tag asks for another kind of value", error.what(), "correct the template");
  }
}

std::string render_path(std::string_view text, const Origin& origin, const Variables& variables) {
  std::string path = render_text(text, origin, variables);
  const std::string objection = objection_to_path(path);
  if (objection.empty()) return path;
  throw template_error("", 0, origin, "the target does not do: " + objection, path, "name a file of the project");
}

bool holds(const std::string& condition, const Origin& origin, const Variables& variables) {
  return condition.empty() || render_text(text_of(condition, origin), origin, variables) == "1";
}

std::set<std::string> check_text(std::string_view text, const Origin& origin, const KnownVariables& known) {
  const inja::Template parsed = parse(text, origin);
  return Checker(parsed, origin, known).check();
}

std::set<std::string> check_condition(const std::string& condition, const Origin& origin, const KnownVariables& known) {
  return condition.empty() ? std::set<std::string>{} : check_text(text_of(condition, origin), origin, known);
}

}  // namespace generator
