// catalog.h: `scaffold list` and `scaffold show`: which projects there are.
#ifndef GENERATOR_CATALOG_H_
#define GENERATOR_CATALOG_H_

#include <string>

#include "generator/template_set.h"

namespace generator {

/// The tasks, which are the choices of the question `task`, a line each; then what can be added to a project.
std::string list_tasks(const TemplateSet& set);

/// What a task is for and the files that its project has with the default answers.
std::string show_task(const TemplateSet& set, const std::string& task);

}  // namespace generator

#endif  // GENERATOR_CATALOG_H_
