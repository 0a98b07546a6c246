// template_check.h: a template set read to its last branch, before anybody renders it.
#ifndef GENERATOR_TEMPLATE_CHECK_H_
#define GENERATOR_TEMPLATE_CHECK_H_

#include "generator/template_set.h"

namespace generator {

/// The first thing wrong is an error of the config kind with file and line: an unknown variable in any branch of any
/// template, condition or default, a rule whose file is missing, a file that no rule names, two rules with one target.
/// A rule whose path depends on answers is tried with all of them.
void check_templates(const TemplateSet& set);

}  // namespace generator

#endif  // GENERATOR_TEMPLATE_CHECK_H_
