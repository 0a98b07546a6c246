#include "generator/template_check.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/template_text.h"
#include "generator/words.h"

namespace generator {
namespace {

constexpr std::size_t kMostCombinations = 10'000;

base::Error error_at(const Origin& origin, const std::string& what, const std::string& value, const std::string& fix) {
  return template_error("", 0, origin, what, value, fix);
}

std::vector<std::string> values_of(const Question& question) {
  std::vector<std::string> values;
  for (const Choice& choice : question.choices) values.push_back(choice.value);
  return values;
}

class SetChecker {
 public:
  explicit SetChecker(const TemplateSet& set) : set_(set) {
    for (const char* name : {"name", "identifier", "job_name", "year", "scaffold_version"}) known_[name] = {};
  }

  void check() {
    for (const Question& question : set_.questions) check_question(question);
    for (const FileRule& rule : set_.files) check_rule(rule);
    check_targets();
    check_text(set_.next.text, set_.next.origin, known_);
    for (const std::string& path : used_) check_source(path);
    known_["class_name"] = known_["file_name"] = {};
    const std::set<std::string> checked = used_;
    for (const Addition& addition : set_.additions) {
      for (const FileRule& rule : addition.files) check_rule(rule);
      for (const Insertion& insertion : addition.insertions) {
        for_all_answers(check_text(insertion.file, insertion.origin, known_), insertion.origin,
                        [&](const Variables& variables) { render_path(insertion.file, insertion.origin, variables); });
        check_text(insertion.before, insertion.origin, known_);
        check_text(insertion.text, insertion.origin, known_);
      }
      check_text(addition.next.text, addition.next.origin, known_);
    }
    for (const std::string& path : used_) {
      if (!checked.contains(path)) check_source(path);
    }
    for (const auto& [path, text] : set_.sources.texts()) {
      if (path == "template.json" || used_.contains(path)) continue;
      throw error_at({set_.sources.place(path), 1}, "no rule names this file", path,
                     "add it to \"files\" in template.json, or remove it");
    }
  }

 private:
  void check_source(const std::string& path) const {
    check_text(set_.sources.texts().at(path), {set_.sources.place(path), 1}, known_);
  }

  /// A question knows what was asked before it.
  void check_question(const Question& question) {
    check_condition(question.when, question.origin, known_);
    for (const Choice& choice : question.choices) check_condition(choice.when, choice.origin, known_);
    const auto* const fallback = std::get_if<std::string>(&question.fallback);
    if (fallback != nullptr) check_text(*fallback, question.origin, known_);
    known_[question.key] = values_of(question);
  }

  void check_rule(const FileRule& rule) {
    std::set<std::string> used = check_text(rule.from, rule.origin, known_);
    for (const std::string& name : used) {
      const Question* const question = set_.find(name);
      const bool has_few_values =
          question != nullptr && (question->kind == Question::Kind::kChoice || question->kind == Question::Kind::kBool);
      if (!has_few_values) {
        throw error_at(rule.origin, "a template is chosen by a text", name, "choose by a choice or a bool");
      }
    }
    used.merge(check_condition(rule.when, rule.origin, known_));
    used.merge(check_text(rule.to, rule.origin, known_));
    for_all_answers(used, rule.origin, [&](const Variables& variables) {
      if (!holds(rule.when, rule.origin, variables)) return;
      const std::string from = render_text(rule.from, rule.origin, variables);
      if (!set_.sources.texts().contains(from)) throw missing(rule, from);
      used_.insert(from);
      render_path(rule.to, rule.origin, variables);
    });
  }

  base::Error missing(const FileRule& rule, const std::string& from) const {
    std::vector<std::string_view> paths;
    for (const auto& [path, text] : set_.sources.texts()) paths.push_back(path);
    return error_at(rule.origin, "there is no such template", from,
                    suggestion(from, paths, "add the file, or a \"when\""));
  }

  /// Two rules may have one target if no answers make both hold.
  void check_targets() const {
    for (std::size_t i = 0; i < set_.files.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const FileRule& rule = set_.files[i];
        const FileRule& other = set_.files[j];
        if (rule.to != other.to) continue;
        std::set<std::string> used = check_condition(rule.when, rule.origin, known_);
        used.merge(check_condition(other.when, other.origin, known_));
        for_all_answers(used, rule.origin, [&](const Variables& variables) {
          if (!holds(rule.when, rule.origin, variables) || !holds(other.when, other.origin, variables)) return;
          throw error_at(
              rule.origin, "two rules have one target", rule.to,
              base::format("give them conditions that exclude each other; the other is in line {}", other.origin.line));
        });
      }
    }
  }

  /// What a variable may be, as far as a path or a condition can tell.
  std::vector<Value> samples(const std::string& name) const {
    const Question* const question = set_.find(name);
    if (question == nullptr) return {std::string("sample")};
    switch (question->kind) {
      case Question::Kind::kBool:
        return {false, true};
      case Question::Kind::kChoice: {
        std::vector<Value> values;
        for (const Choice& choice : question->choices) values.emplace_back(choice.value);
        return values;
      }
      case Question::Kind::kList: {
        std::vector<Value> values{std::vector<std::string>{}, values_of(*question)};
        for (const Choice& choice : question->choices) values.emplace_back(std::vector<std::string>{choice.value});
        return values;
      }
      case Question::Kind::kText:
      case Question::Kind::kIdentifier:
        break;
    }
    return {std::string("sample")};
  }

  void for_all_answers(const std::set<std::string>& names, const Origin& origin,
                       const std::function<void(const Variables&)>& visit) const {
    std::vector<Variables> combinations(1);
    for (const std::string& name : names) {
      std::vector<Variables> longer;
      for (const Variables& combination : combinations) {
        for (const Value& value : samples(name)) {
          longer.push_back(combination);
          longer.back()[name] = value;
        }
      }
      combinations = std::move(longer);
      if (combinations.size() > kMostCombinations) {
        throw error_at(origin, "a rule depends on too many answers", name, "split it");
      }
    }
    for (const Variables& combination : combinations) visit(combination);
  }

  const TemplateSet& set_;
  KnownVariables known_;
  std::set<std::string> used_;
};

}  // namespace

void check_templates(const TemplateSet& set) {
  SetChecker(set).check();
}

}  // namespace generator
