#include "generator/template_set.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/log/format.h"
#include "generator/json.h"
#include "generator/name.h"
#include "generator/template_check.h"
#include "generator/words.h"

namespace generator {
namespace {

constexpr std::string_view kIndex = "template.json";
constexpr std::size_t kMostChoices = 50;

/// Reads template.json from top to bottom.
class SetReader {
 public:
  explicit SetReader(const std::string& file) : reader_(file) {}

  void read(std::string_view text, TemplateSet& set) {
    const Json root = parse_json(text, reader_.file());
    reader_.expect(root, Json::Kind::kObject, "the file");
    reader_.check_keys(root, {"version", "questions", "files", "next", "additions"});
    set.version = reader_.text(reader_.required(root, "version"), "version");
    const Json& questions = reader_.required(root, "questions");
    reader_.expect(questions, Json::Kind::kList, "questions");
    for (const Json& one : questions.items) {
      Question question = read_question(one);
      if (set.find(question.key) != nullptr) {
        throw reader_.error(one, "two questions have one key", question.key, "rename one of them");
      }
      set.questions.push_back(std::move(question));
    }
    set.files = read_rules(reader_.required(root, "files"));
    set.next = read_next(root);
    if (const Json* additions = root.find("additions")) {
      reader_.expect(*additions, Json::Kind::kObject, "additions");
      for (const auto& [kind, value] : additions->members) set.additions.push_back(read_addition(kind, value));
    }
  }

 private:
  Origin origin_of(const Json& value) const { return {reader_.file(), value.line}; }

  Question read_question(const Json& object) const {
    reader_.expect(object, Json::Kind::kObject, "a question");
    reader_.check_keys(object, {"key", "text", "kind", "choices", "default", "when"});
    Question question;
    question.origin = origin_of(object);
    const Json& key = reader_.required(object, "key");
    question.key = reader_.text(key, "key");
    if (!is_variable(question.key)) {
      throw reader_.error(key, "a question's key is no name for a variable", question.key,
                          "use lower-case letters, digits and _, and no name that is there already");
    }
    question.text = reader_.text(reader_.required(object, "text"), "text");
    question.when = reader_.optional_text(object, "when");
    question.kind = read_kind(reader_.required(object, "kind"));
    const bool has_choices = question.kind == Question::Kind::kChoice || question.kind == Question::Kind::kList;
    const Json* const choices = object.find("choices");
    if (has_choices != (choices != nullptr)) {
      throw reader_.error(object, has_choices ? "the choices are missing" : "only a choice or a list has choices",
                          question.key, has_choices ? "add \"choices\"" : "remove them, or change the kind");
    }
    if (choices != nullptr) question.choices = read_choices(*choices);
    question.fallback = read_default(question, reader_.required(object, "default"));
    return question;
  }

  /// A name of its own: not one that the tool gives.
  static bool is_variable(const std::string& key) {
    static constexpr std::array kOwn = std::to_array<std::string_view>(
        {"name", "identifier", "job_name", "year", "loop", "scaffold_version", "class_name", "file_name"});
    const bool is_spelled = std::all_of(
        key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    return is_spelled && !key.empty() && key.size() <= 40 && key.front() >= 'a' &&
           std::find(kOwn.begin(), kOwn.end(), key) == kOwn.end();
  }

  Question::Kind read_kind(const Json& value) const {
    static constexpr std::array kKinds = std::to_array<std::pair<std::string_view, Question::Kind>>({
        {"text", Question::Kind::kText},
        {"identifier", Question::Kind::kIdentifier},
        {"choice", Question::Kind::kChoice},
        {"bool", Question::Kind::kBool},
        {"list", Question::Kind::kList},
    });
    const std::string text = reader_.text(value, "kind");
    for (const auto& [name, kind] : kKinds) {
      if (name == text) return kind;
    }
    throw reader_.error(value, "unknown kind of question", text, "it is text, identifier, choice, bool or list");
  }

  std::vector<Choice> read_choices(const Json& list) const {
    reader_.expect(list, Json::Kind::kList, "choices");
    std::vector<Choice> choices;
    for (const Json& object : list.items) {
      reader_.expect(object, Json::Kind::kObject, "a choice");
      reader_.check_keys(object, {"value", "text", "show", "when"});
      Choice choice{reader_.text(reader_.required(object, "value"), "value"), reader_.optional_text(object, "text"),
                    reader_.optional_text(object, "show"), reader_.optional_text(object, "when"), origin_of(object)};
      const bool is_plain = std::all_of(choice.value.begin(), choice.value.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
      });
      if (choice.value.empty() || !is_plain || choice.value.find("..") != std::string::npos) {
        throw reader_.error(object, "a choice's value does not do", choice.value, "use letters, digits, -, _ and .");
      }
      for (const Choice& other : choices) {
        if (other.value == choice.value) {
          throw reader_.error(object, "two choices have one value", choice.value, "remove one of them");
        }
      }
      choices.push_back(std::move(choice));
    }
    if (choices.empty() || choices.size() > kMostChoices) {
      throw reader_.error(list, "the number of choices does not do", std::to_string(choices.size()), "give 1 to 50");
    }
    return choices;
  }

  Value read_default(const Question& question, const Json& value) const {
    if (question.kind == Question::Kind::kBool) {
      reader_.expect(value, Json::Kind::kBool, "the default");
      return value.boolean;
    }
    if (question.kind == Question::Kind::kList) {
      std::vector<std::string> texts = reader_.texts(value, "the default");
      for (const std::string& text : texts) check_choice(question, text, value);
      return texts;
    }
    const std::string text = reader_.text(value, "the default");
    if (question.kind == Question::Kind::kChoice) check_choice(question, text, value);
    return text;
  }

  void check_choice(const Question& question, const std::string& text, const Json& place) const {
    const std::vector<std::string_view> values = words_of(question.choices, &Choice::value);
    if (std::find(values.begin(), values.end(), text) != values.end()) return;
    throw reader_.error(place, "the default is not one of the choices", text,
                        suggestion(text, values, "take one of them"));
  }

  std::vector<FileRule> read_rules(const Json& list) const {
    reader_.expect(list, Json::Kind::kList, "files");
    std::vector<FileRule> rules;
    for (const Json& object : list.items) {
      reader_.expect(object, Json::Kind::kObject, "a file");
      reader_.check_keys(object, {"from", "to", "when", "text"});
      FileRule rule{reader_.text(reader_.required(object, "from"), "from"), reader_.optional_text(object, "to"),
                    reader_.optional_text(object, "when"), reader_.optional_text(object, "text"), origin_of(object)};
      if (object.find("to") == nullptr) rule.to = rule.from;
      rules.push_back(std::move(rule));
    }
    return rules;
  }

  Hint read_next(const Json& object) const {
    const Json* const next = object.find("next");
    return next == nullptr ? Hint{} : Hint{reader_.text(*next, "next"), origin_of(*next)};
  }

  Addition read_addition(const std::string& kind, const Json& object) const {
    reader_.expect(object, Json::Kind::kObject, "an addition");
    reader_.check_keys(object, {"text", "files", "insertions", "next", "taken"});
    Addition addition{kind,
                      reader_.text(reader_.required(object, "text"), "text"),
                      read_rules(reader_.required(object, "files")),
                      {},
                      read_next(object),
                      {}};
    if (const Json* taken = object.find("taken")) {
      reader_.expect(*taken, Json::Kind::kList, "taken");
      for (const Json& name : taken->items) addition.taken.push_back(reader_.text(name, "a name"));
    }
    const Json* const insertions = object.find("insertions");
    if (insertions == nullptr) return addition;
    reader_.expect(*insertions, Json::Kind::kList, "insertions");
    for (const Json& one : insertions->items) {
      reader_.expect(one, Json::Kind::kObject, "an insertion");
      reader_.check_keys(one, {"file", "before", "text"});
      addition.insertions.push_back({reader_.text(reader_.required(one, "file"), "file"),
                                     reader_.text(reader_.required(one, "before"), "before"),
                                     reader_.text(reader_.required(one, "text"), "text"), origin_of(one)});
      if (addition.insertions.back().before.empty()) throw reader_.error(one, "`before` is empty", "", "name a line");
    }
    return addition;
  }

  const JsonReader reader_;
};

}  // namespace

const Question* TemplateSet::find(std::string_view key) const {
  const auto found = std::find_if(questions.begin(), questions.end(), [&](const Question& q) { return q.key == key; });
  return found != questions.end() ? &*found : nullptr;
}

const Addition* TemplateSet::find_addition(std::string_view kind) const {
  const auto found =
      std::find_if(additions.begin(), additions.end(), [&](const Addition& a) { return a.kind == kind; });
  return found != additions.end() ? &*found : nullptr;
}

TemplateSet read_template_set(TemplateFiles sources, const std::string& origin) {
  TemplateSet set;
  set.origin = origin;
  set.sources = std::move(sources);
  const auto index = set.sources.texts().find(kIndex);
  if (index == set.sources.texts().end()) {
    throw base::Error(base::ErrorKind::kConfig, "the set of templates has no template.json", set.sources.place(kIndex),
                      "docs/templates.md says what belongs into it");
  }
  SetReader(set.sources.place(kIndex)).read(index->second, set);
  return set;
}

TemplateSet embedded_templates() {
  return read_template_set(TemplateFiles::embedded(), "builtin");
}

TemplateSet templates_of_folder(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder) / "";  // one form for set, set/ and ./set
  TemplateSet set = read_template_set(TemplateFiles::of_folder(folder), path.lexically_normal().parent_path().string());
  check_templates(set);
  return set;
}

TemplateSet load_templates(const std::string& origin) {
  return origin.empty() || origin == "builtin" ? embedded_templates() : templates_of_folder(origin);
}

}  // namespace generator
