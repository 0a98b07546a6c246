// template_files.h: the files of a template set, by path: those in this binary, or those of a folder.
#ifndef GENERATOR_TEMPLATE_FILES_H_
#define GENERATOR_TEMPLATE_FILES_H_

#include <map>
#include <string>
#include <string_view>

namespace generator {

class TemplateFiles {
 public:
  TemplateFiles() = default;
  TemplateFiles(TemplateFiles&&) = default;
  TemplateFiles& operator=(TemplateFiles&&) = default;

  /// What was in templates/ when this binary was built.
  static TemplateFiles embedded();
  /// All files of a folder except its .git. Whoever wrote it is not trusted: a link, a file that is no text, too many
  /// or too large ones are errors of the config kind.
  static TemplateFiles of_folder(const std::string& folder);

  /// Relative paths, in order. The texts live as long as this.
  const std::map<std::string, std::string_view, std::less<>>& texts() const { return texts_; }
  /// How errors call a file: with the folder before it, so that an editor finds it.
  std::string place(std::string_view path) const { return prefix_ + std::string(path); }

 private:
  std::map<std::string, std::string> owned_;  // of a folder; its nodes stay where they are when this is moved
  std::map<std::string, std::string_view, std::less<>> texts_;
  std::string prefix_;
};

}  // namespace generator

#endif  // GENERATOR_TEMPLATE_FILES_H_
