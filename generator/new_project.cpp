#include "generator/new_project.h"

#include <ctime>
#include <optional>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/project.h"
#include "generator/renderer.h"
#include "generator/template_set.h"
#include "generator/template_text.h"
#include "generator/writer.h"

namespace generator {
namespace {

std::string this_year() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return std::to_string(parts.tm_year + 1900);
}

std::string asked_name(Prompt* prompt) {
  if (prompt == nullptr) {
    throw base::Error(base::ErrorKind::kUsage, "the project needs a name", "", "scaffold new-project NAME");
  }
  return prompt->ask("name", "What is the project called?", {}, "my_project",
                     [](const std::string& answer) -> std::string {
                       try {
                         parse_project_name(answer);
                       } catch (const base::Error& error) {
                         return error.problem() + ": " + error.fix();
                       }
                       return "";
                     });
}

}  // namespace

std::string new_project(const NewProjectOptions& options, Prompt* prompt) {
  if (options.takes_defaults) prompt = nullptr;
  const ProjectName name = parse_project_name(options.name.empty() ? asked_name(prompt) : options.name);
  const std::string folder = options.folder.empty() ? name.given : options.folder;
  check_target(folder);  // before anybody has answered nine questions

  const TemplateSet set = load_templates(options.templates);
  std::optional<Json> file;
  if (!options.answers_file.empty()) file = read_answers_file(options.answers_file);
  const Answers answers = collect_answers(
      set, name, this_year(),
      {.file = file ? &*file : nullptr, .file_name = options.answers_file, .given = options.answers, .prompt = prompt});
  std::vector<RenderedFile> files = render_project(set, answers);
  const std::vector<RenderedFile> record = record_of(set, answers, files);
  files.insert(files.begin(), record.begin(), record.end());
  if (options.is_dry_run) return describe_tree(folder, files);

  write_project(folder, files, {.uses_git = options.uses_git, .message = "New project " + name.given});
  const std::string next = render_text(set.next.text, set.next.origin, answers.variables());
  return base::format("{} files in {}. Its README.md says how to go on.{}", files.size(), folder,
                      next.empty() ? "" : base::format(" To begin:\n  cd {} && {}", folder, next));
}

}  // namespace generator
