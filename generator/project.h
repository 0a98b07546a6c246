// project.h: a project that scaffold wrote: what it was made from, kept in it.
#ifndef GENERATOR_PROJECT_H_
#define GENERATOR_PROJECT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "generator/answers.h"
#include "generator/renderer.h"
#include "generator/template_set.h"

namespace generator {

inline constexpr const char* kRecordFile = ".scaffold.json";  // for people too: versions and answers
inline constexpr const char* kLockFile = ".scaffold.lock";    // every file as it was rendered: the base of an update

struct Project {
  std::filesystem::path root;
  std::string scaffold_version;
  std::string template_origin;  // "builtin" or a folder
  std::string template_version;
  ProjectName name;
  std::string year;
  Json answers;                        // as they were recorded
  std::vector<RenderedFile> rendered;  // as they were written or last updated

  /// The recorded answers for a set of templates, which may ask more or less than the one they were given to, with
  /// some of them changed.
  Answers answers_for(const TemplateSet& set, const GivenAnswers& changed) const;
};

/// The project around a folder. There being none is an error of the usage kind; what was recorded is checked like any
/// file of unknown origin, and damage is an error of the config kind.
Project find_project(const std::filesystem::path& folder);

/// The two files that record a rendering.
std::vector<RenderedFile> record_of(const TemplateSet& set, const Answers& answers,
                                    const std::vector<RenderedFile>& rendered);

}  // namespace generator

#endif  // GENERATOR_PROJECT_H_
