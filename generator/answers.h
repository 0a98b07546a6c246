// answers.h: what a project is to be like: the defaults, an answers file, flags and prompts, in this order; checked.
#ifndef GENERATOR_ANSWERS_H_
#define GENERATOR_ANSWERS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/json.h"
#include "generator/name.h"
#include "generator/prompt.h"
#include "generator/template_set.h"
#include "generator/value.h"

namespace generator {

/// Answers as they were given, before anybody knows the questions: `--set cuda=true` and the named flags.
using GivenAnswers = std::vector<std::pair<std::string, std::string>>;

struct Answers {
  ProjectName name;
  std::string year;  // of the first rendering, which a licence keeps
  Variables values;  // one for each question

  /// All that templates may use.
  Variables variables() const;
};

struct AnswerSources {
  const Json* file = nullptr;  // an object of answers
  std::string file_name = {};
  bool drops_unknown = false;  // of the file: answers to what a newer template, or other answers, no longer ask
  GivenAnswers given = {};
  Prompt* prompt = nullptr;  // asks what is neither in the file nor given; nullptr: defaults
};

/// One value for each question. An answer that does not do is an error of the usage kind, in a file of the config kind.
Answers collect_answers(const TemplateSet& set, const ProjectName& name, const std::string& year,
                        const AnswerSources& sources);

/// Reads an answers file: a JSON object of `key: answer`.
Json read_answers_file(const std::string& path);

/// An answer from its text, as flags, `--set` and prompts give it: yes or no, `a,b` for a list.
/// What is wrong with it is returned in words, with what to do.
struct ParsedAnswer {
  std::optional<Value> value = {};
  std::string objection = {};
  std::string fix = {};
};
ParsedAnswer parse_answer(const Question& question, const std::vector<Choice>& choices, const std::string& text);

}  // namespace generator

#endif  // GENERATOR_ANSWERS_H_
