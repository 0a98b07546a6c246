// renderer.h: (template set, answers) -> files. Pure: the same input gives the same bytes.
#ifndef GENERATOR_RENDERER_H_
#define GENERATOR_RENDERER_H_

#include <string>
#include <vector>

#include "generator/answers.h"
#include "generator/template_set.h"
#include "generator/value.h"

namespace generator {

struct RenderedFile {
  std::string path;  // in the project; see project_path.h
  std::string text;
  bool is_executable = false;  // it starts with #!

  bool operator==(const RenderedFile& other) const = default;
};

/// The project's files in the order of their paths.
std::vector<RenderedFile> render_project(const TemplateSet& set, const Answers& answers);

/// The files of some rules; a path that leads out of the project, or that two of them have, is an error of the config
/// kind with the rule's line.
std::vector<RenderedFile> render_files(const TemplateSet& set, const std::vector<FileRule>& rules,
                                       const Variables& variables);

}  // namespace generator

#endif  // GENERATOR_RENDERER_H_
