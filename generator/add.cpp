#include "generator/add.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/file_change.h"
#include "generator/name.h"
#include "generator/project.h"
#include "generator/renderer.h"
#include "generator/template_text.h"
#include "generator/words.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

const Addition& find_addition(const TemplateSet& set, const std::string& kind) {
  const Addition* const addition = set.find_addition(kind);
  if (addition != nullptr) return *addition;
  const std::vector<std::string_view> kinds = words_of(set.additions, &Addition::kind);
  throw base::Error(base::ErrorKind::kUsage, "unknown thing to add", kind,
                    suggestion(kind, kinds, "it is one of " + joined(kinds)));
}

/// The text with the lines put in before the one that holds the marker; nothing if that is gone.
std::optional<std::string> inserted(const std::string& text, const std::string& marker, const std::string& lines) {
  const std::size_t at = text.find(marker);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return text.substr(0, start) + lines + (lines.ends_with('\n') ? "" : "\n") + text.substr(start);
}

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || !fs::is_regular_file(fs::symlink_status(path, ignored))) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string add_to_project(const fs::path& folder, const AddOptions& options) {
  const Project project = find_project(folder);
  const TemplateSet set = load_templates(options.templates.empty() ? project.template_origin : options.templates);
  const Addition& addition = find_addition(set, options.kind);
  const ClassName name = parse_class_name(options.name);
  if (std::find(addition.taken.begin(), addition.taken.end(), name.file_name) != addition.taken.end()) {
    throw base::Error(base::ErrorKind::kUsage, base::format("there is a {} of this name in the library", addition.kind),
                      name.file_name, "choose another, such as my_" + name.file_name);
  }
  Variables variables = project.answers_for(set, {}).variables();
  variables["class_name"] = name.class_name;
  variables["file_name"] = name.file_name;

  std::vector<FileChange> changes;
  std::string told;
  for (const RenderedFile& file : render_files(set, addition.files, variables)) {
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(project.root / file.path, ignored))) {
      throw base::Error(base::ErrorKind::kUsage, "there is such a file already", file.path,
                        "choose another name; nothing is ever overwritten");
    }
    changes.push_back({file.path, file.text, file.is_executable});
    told += "new      " + file.path + "\n";
  }
  for (const Insertion& insertion : addition.insertions) {
    const std::string path = render_path(insertion.file, insertion.origin, variables);
    const std::string marker = render_text(insertion.before, insertion.origin, variables);
    const std::string lines = render_text(insertion.text, insertion.origin, variables);
    // One file may be changed in several places.
    const auto earlier =
        std::find_if(changes.begin(), changes.end(), [&](const auto& one) { return one.path == path; });
    const std::optional<std::string> text =
        earlier != changes.end() ? std::optional(earlier->text) : read_file(project.root / path);
    const std::optional<std::string> longer = text ? inserted(*text, marker, lines) : std::nullopt;
    if (!longer) {
      told += base::format("by hand  {} has no line with `{}` any more; put in:\n{}", path, marker, lines);
      if (!lines.ends_with('\n')) told += "\n";
    } else if (earlier != changes.end()) {
      earlier->text = *longer;
    } else {
      const fs::perms mode = fs::status(project.root / path).permissions();
      const bool is_executable = (mode & fs::perms::owner_exec) != fs::perms::none;
      changes.push_back({path, *longer, is_executable});
      told += "changed  " + path + "\n";
    }
  }
  apply_changes(project.root, changes);
  const std::string next = render_text(addition.next.text, addition.next.origin, variables);
  if (!next.empty()) told += "next     " + next + "\n";
  told.pop_back();
  return told;
}

}  // namespace generator
