#include "generator/answers.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/text.h"
#include "generator/template_text.h"
#include "generator/words.h"

namespace generator {
namespace {

constexpr std::size_t kLongestText = 200;
constexpr std::size_t kLargestFile = std::size_t{1} << 20;

/// Texts end up in code, scripts and settings, where some characters would end the text or start something else.
ParsedAnswer parse_text(const std::string& text) {
  if (text.size() > kLongestText) return {{}, "it has more than 200 characters", "shorten it"};
  if (base::visible_line(text) != text) return {{}, "it has a character in it that cannot be seen", "leave it out"};
  for (const char c : {'"', '\\', '$', '`'}) {
    if (text.find(c) != std::string::npos) return {{}, base::format("it has a {} in it", c), "leave it out"};
  }
  for (const std::string_view tag : {"<@", "<%", "<#", "@>", "%>", "#>", "@@@@"}) {
    if (text.find(tag) != std::string::npos) return {{}, base::format("it has a {} in it", tag), "leave it out"};
  }
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  return {text.substr(start, text.find_last_not_of(' ') + 1 - start)};
}

ParsedAnswer parse_choice(const std::vector<Choice>& choices, const std::string& text) {
  const std::vector<std::string_view> values = words_of(choices, &Choice::value);
  if (std::find(values.begin(), values.end(), text) != values.end()) return {text};
  return {{}, "it is not one of the choices", suggestion(text, values, "the choices are " + joined(values))};
}

ParsedAnswer parse_list(const std::vector<Choice>& choices, const std::vector<std::string>& words) {
  std::vector<std::string> chosen;
  for (const std::string& word : words) {
    if (parse_choice(choices, word).value) continue;
    const std::vector<std::string_view> values = words_of(choices, &Choice::value);
    return {{},
            "`" + word + "` is not one of the choices",
            suggestion(word, values, "give those that you want, with commas between them: " + joined(values, ","))};
  }
  for (const Choice& choice : choices) {  // in their order and once, so that one answer has one form
    if (std::find(words.begin(), words.end(), choice.value) != words.end()) chosen.push_back(choice.value);
  }
  return {chosen};
}

/// As parse_answer(), from JSON, where a value has a kind of its own.
ParsedAnswer parse_json_answer(const Question& question, const std::vector<Choice>& choices, const Json& value) {
  switch (question.kind) {
    case Question::Kind::kBool:
      if (value.kind == Json::Kind::kBool) return {value.boolean};
      return {{}, "it is not true or false", "write true or false, without quotes"};
    case Question::Kind::kList: {
      std::vector<std::string> words;
      for (const Json& item : value.items) {
        if (item.kind != Json::Kind::kText) return {{}, "it is not a list of texts", R"(write ["a", "b"])"};
        words.push_back(item.text);
      }
      if (value.kind != Json::Kind::kList) return {{}, "it is not a list", R"(write ["a", "b"])"};
      return parse_list(choices, words);
    }
    case Question::Kind::kText:
    case Question::Kind::kIdentifier:
    case Question::Kind::kChoice:
      break;
  }
  if (value.kind != Json::Kind::kText) return {{}, "it is not a text", "write it in double quotes"};
  return parse_answer(question, choices, value.text);
}

std::string text_of(const Value& value) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean ? "yes" : "no";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return joined(std::get<std::vector<std::string>>(value), ",");
}

/// Goes through the questions in their order, since a question may depend on the answers before it.
class Collector {
 public:
  Collector(const TemplateSet& set, const AnswerSources& sources, Answers& answers)
      : set_(set), sources_(sources), answers_(answers) {}

  void collect() {
    check_keys();
    for (const Question& question : set_.questions) {
      answers_.values.erase(question.key);
      answers_.values[question.key] = answer(question);
    }
  }

 private:
  void check_keys() const {
    const std::vector<std::string_view> keys = words_of(set_.questions, &Question::key);
    for (const auto& [key, text] : sources_.given) {
      if (set_.find(key) != nullptr) continue;
      throw base::Error(base::ErrorKind::kUsage, "unknown answer", key,
                        suggestion(key, keys, "the questions are " + joined(keys)));
    }
    if (sources_.file == nullptr || sources_.drops_unknown) return;
    JsonReader(sources_.file_name).check_keys(*sources_.file, keys);
  }

  Value answer(const Question& question) const {
    const Variables variables = answers_.variables();
    std::vector<Choice> choices;
    for (const Choice& choice : question.choices) {
      if (holds(choice.when, choice.origin, variables)) choices.push_back(choice);
    }
    Value fallback = default_of(question, choices, variables);
    const bool is_asked = holds(question.when, question.origin, variables);
    const auto given = std::find_if(sources_.given.rbegin(), sources_.given.rend(),
                                    [&](const auto& one) { return one.first == question.key; });
    if (given != sources_.given.rend()) {
      ParsedAnswer parsed = parse_answer(question, choices, given->second);
      if (!parsed.value) {
        throw base::Error(base::ErrorKind::kUsage, base::format("{}: {}", question.key, parsed.objection),
                          given->second, parsed.fix);
      }
      if (!is_asked && *parsed.value != fallback) {
        throw base::Error(base::ErrorKind::kUsage, question.key + ": it does not go with the other answers",
                          given->second, "leave it out; it goes with " + question.when);
      }
      return *parsed.value;
    }
    if (!is_asked && sources_.drops_unknown) return fallback;
    const Json* const written = sources_.file != nullptr ? sources_.file->find(question.key) : nullptr;
    if (written != nullptr) {
      const JsonReader reader(sources_.file_name);
      ParsedAnswer parsed = parse_json_answer(question, choices, *written);
      if (!parsed.value) {
        throw reader.error(*written, base::format("{}: {}", question.key, parsed.objection), written->text, parsed.fix);
      }
      if (!is_asked && *parsed.value != fallback) {
        throw reader.error(*written, question.key + ": it does not go with the other answers", text_of(*parsed.value),
                           "leave it out; it goes with " + question.when);
      }
      return *parsed.value;
    }
    return is_asked && sources_.prompt != nullptr ? asked(question, choices, fallback) : fallback;
  }

  Value asked(const Question& question, const std::vector<Choice>& choices, const Value& fallback) const {
    const bool is_list = question.kind == Question::Kind::kList;
    const std::string question_text = question.text + (is_list ? " Several can be given: 1,2 (or none)." : "");
    const std::string text =
        sources_.prompt->ask(question.key, question_text, choices, text_of(fallback), [&](const std::string& answer) {
          const ParsedAnswer parsed = parse_answer(question, choices, answer);
          return parsed.value ? "" : parsed.objection + ": " + parsed.fix;
        });
    return *parse_answer(question, choices, text).value;
  }

  /// With its tags filled in; a choice that the answers before rule out gives way to the first that is left.
  static Value default_of(const Question& question, const std::vector<Choice>& choices, const Variables& variables) {
    const auto is_there = [&](const std::string& value) { return parse_choice(choices, value).value.has_value(); };
    if (question.kind == Question::Kind::kList) {
      std::vector<std::string> list = std::get<std::vector<std::string>>(question.fallback);
      list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& one) { return !is_there(one); }), list.end());
      return *parse_list(choices, list).value;
    }
    if (question.kind == Question::Kind::kBool) return question.fallback;
    std::string text = render_text(std::get<std::string>(question.fallback), question.origin, variables);
    if (question.kind == Question::Kind::kChoice && !is_there(text) && !choices.empty()) text = choices.front().value;
    return text;
  }

  const TemplateSet& set_;
  const AnswerSources& sources_;
  Answers& answers_;
};

}  // namespace

Variables Answers::variables() const {
  Variables variables = values;
  variables["name"] = name.given;
  variables["identifier"] = name.identifier;
  variables["job_name"] = name.job_name;
  variables["year"] = year;
  variables["scaffold_version"] = std::string(SCAFFOLD_VERSION);
  return variables;
}

Answers collect_answers(const TemplateSet& set, const ProjectName& name, const std::string& year,
                        const AnswerSources& sources) {
  Answers answers{name, year, {}};
  Collector(set, sources, answers).collect();
  return answers;
}

Json read_answers_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw base::Error(base::ErrorKind::kConfig, "the answers file cannot be read", path, "check its path");
  }
  std::string text(kLargestFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  Json root = parse_json(text, path);
  JsonReader(path).expect(root, Json::Kind::kObject, "the file");
  return root;
}

ParsedAnswer parse_answer(const Question& question, const std::vector<Choice>& choices, const std::string& text) {
  switch (question.kind) {
    case Question::Kind::kText:
      return parse_text(text);
    case Question::Kind::kIdentifier:
      if (is_identifier(text)) return {text};
      return {{}, "it is no name for C++, or taken", "use letters, digits and single underscores, such as my_project"};
    case Question::Kind::kChoice:
      return parse_choice(choices, text);
    case Question::Kind::kBool:
      if (text == "yes" || text == "true" || text == "y") return {true};
      if (text == "no" || text == "false" || text == "n") return {false};
      return {{}, "it is neither yes nor no", "say yes or no"};
    case Question::Kind::kList:
      break;
  }
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!word.empty() && word != "none") words.push_back(word);
    start = end + 1;
  }
  return parse_list(choices, words);
}

}  // namespace generator
