#include "generator/renderer.h"

#include <algorithm>
#include <utility>

#include "base/log/error.h"
#include "generator/template_text.h"

namespace generator {
namespace {

RenderedFile render_file(const TemplateSet& set, const FileRule& rule, const Variables& variables) {
  RenderedFile file{render_path(rule.to, rule.origin, variables), "", false};
  const std::string from = render_text(rule.from, rule.origin, variables);
  const auto source = set.sources.texts().find(from);
  if (source == set.sources.texts().end()) {
    throw template_error("", 0, rule.origin, "there is no such template", from, "add the file, or a \"when\"");
  }
  file.text = render_text(source->second, {set.sources.place(from), 1}, variables);
  file.is_executable = file.text.starts_with("#!");
  return file;
}

}  // namespace

std::vector<RenderedFile> render_files(const TemplateSet& set, const std::vector<FileRule>& rules,
                                       const Variables& variables) {
  std::vector<RenderedFile> files;
  for (const FileRule& rule : rules) {
    if (!holds(rule.when, rule.origin, variables)) continue;
    RenderedFile file = render_file(set, rule, variables);
    for (const RenderedFile& other : files) {
      // A file cannot be a folder too.
      const bool is_same =
          other.path == file.path || other.path.starts_with(file.path + "/") || file.path.starts_with(other.path + "/");
      if (is_same)
        throw template_error("", 0, rule.origin, "two rules have one target", file.path, "rename one of them");
    }
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::vector<RenderedFile> render_project(const TemplateSet& set, const Answers& answers) {
  return render_files(set, set.files, answers.variables());
}

}  // namespace generator
