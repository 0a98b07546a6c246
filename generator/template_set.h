// template_set.h: what can be asked and what is written then, as template.json says it: docs/templates.md.
#ifndef GENERATOR_TEMPLATE_SET_H_
#define GENERATOR_TEMPLATE_SET_H_

#include <string>
#include <string_view>
#include <vector>

#include "generator/template_files.h"
#include "generator/template_tags.h"
#include "generator/value.h"

namespace generator {

struct Choice {
  std::string value;
  std::string text;  // one line on it
  std::string show;  // a paragraph on it, for `scaffold show`
  std::string when;  // a condition on the answers before; empty: always there
  Origin origin;
};

struct Question {
  enum class Kind { kText, kIdentifier, kChoice, kBool, kList };  // a list: any number of the choices

  std::string key;
  std::string text;
  Kind kind = Kind::kText;
  std::vector<Choice> choices;
  Value fallback;    // the default; texts in it may hold tags with the name and the answers before
  std::string when;  // a condition on the answers before; where it does not hold, the default is the answer
  Origin origin;
};

/// One file of a project, if `when` holds.
struct FileRule {
  std::string from;  // in the set; may hold tags
  std::string to;    // in the project; may hold tags
  std::string when;
  std::string text;  // one line on it, for `scaffold show`
  Origin origin;
};

/// A text that goes, as it is, before the line of a file that holds `before`.
struct Insertion {
  std::string file;
  std::string before;
  std::string text;
  Origin origin;
};

/// What to do with what was written: a command or a sentence, shown at the end; may hold tags.
struct Hint {
  std::string text;
  Origin origin;
};

/// What `scaffold add KIND NAME` writes. Its templates know `class_name` and `file_name` besides the answers.
struct Addition {
  std::string kind;
  std::string text;
  std::vector<FileRule> files;
  std::vector<Insertion> insertions;
  Hint next;
  std::vector<std::string> taken;  // file names that mean something else already
};

struct TemplateSet {
  std::string origin;  // "builtin" or the folder's path
  std::string version;
  std::vector<Question> questions;
  std::vector<FileRule> files;
  Hint next;  // in the project's folder
  std::vector<Addition> additions;
  TemplateFiles sources;

  const Question* find(std::string_view key) const;
  const Addition* find_addition(std::string_view kind) const;
};

/// The set in this binary, as it is: its tests have checked it.
TemplateSet embedded_templates();
/// A team's own, checked to the last branch (template_check.h).
TemplateSet templates_of_folder(const std::string& folder);
/// Either of them: a folder, or "builtin" or nothing.
TemplateSet load_templates(const std::string& origin);

/// template.json alone; the files it names are not looked at.
TemplateSet read_template_set(TemplateFiles sources, const std::string& origin);

}  // namespace generator

#endif  // GENERATOR_TEMPLATE_SET_H_
