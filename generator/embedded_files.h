// embedded_files.h: templates/ as it was when this was built. embed_templates.cmake writes the source.
#ifndef GENERATOR_EMBEDDED_FILES_H_
#define GENERATOR_EMBEDDED_FILES_H_

#include <span>
#include <string_view>

namespace generator {

struct EmbeddedFile {
  std::string_view path;
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_files();

}  // namespace generator

#endif  // GENERATOR_EMBEDDED_FILES_H_
