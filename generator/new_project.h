// new_project.h: `scaffold new-project`: collect -> render -> write.
#ifndef GENERATOR_NEW_PROJECT_H_
#define GENERATOR_NEW_PROJECT_H_

#include <string>

#include "generator/answers.h"
#include "generator/prompt.h"

namespace generator {

struct NewProjectOptions {
  std::string name = {};       // empty: asked for
  std::string folder = {};     // the project's own; empty: ./NAME
  std::string templates = {};  // a folder; empty: those in this binary
  std::string answers_file = {};
  GivenAnswers answers = {};
  bool takes_defaults = false;  // asks nothing
  bool is_dry_run = false;
  bool uses_git = true;
};

/// Returns what to tell the user. `prompt` is nullptr where nobody can be asked; then the defaults are taken.
std::string new_project(const NewProjectOptions& options, Prompt* prompt);

}  // namespace generator

#endif  // GENERATOR_NEW_PROJECT_H_
