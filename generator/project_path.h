// project_path.h: paths within a project, which nothing that is read may lead out of.
#ifndef GENERATOR_PROJECT_PATH_H_
#define GENERATOR_PROJECT_PATH_H_

#include <string>
#include <string_view>

namespace generator {

/// Why a path must not be written in a project, such as "it is absolute"; empty if it may: relative, made of plain
/// characters, without `..`, and not git's own.
std::string objection_to_path(std::string_view path);

}  // namespace generator

#endif  // GENERATOR_PROJECT_PATH_H_
