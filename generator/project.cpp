#include "generator/project.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <variant>

#include "base/log/error.h"
#include "generator/json.h"
#include "generator/project_path.h"

namespace generator {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestRecord = std::size_t{64} << 20;

std::string json_of(const Value& value) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return json_quoted(*text);
  std::string list;
  for (const std::string& word : std::get<std::vector<std::string>>(value)) {
    list += (list.empty() ? "" : ", ") + json_quoted(word);
  }
  return "[" + list + "]";
}

Json read_record(const fs::path& path) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(fs::symlink_status(path, error));
  std::ifstream file(path, std::ios::binary);
  if (!is_file || !file || fs::file_size(path, error) > kLargestRecord) {
    throw base::Error(base::ErrorKind::kConfig, "the project's record cannot be read", path.string(),
                      "restore the file: git checkout " + path.filename().string());
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Json root = parse_json(text, path.string());
  JsonReader(path.string()).expect(root, Json::Kind::kObject, "the file");
  return root;
}

std::vector<RenderedFile> read_lock(const fs::path& path) {
  const JsonReader reader(path.string());
  const Json root = read_record(path);
  reader.check_keys(root, {"files"});
  const Json& list = reader.required(root, "files");
  reader.expect(list, Json::Kind::kList, "files");
  std::vector<RenderedFile> files;
  std::set<std::string> paths;
  for (const Json& item : list.items) {
    reader.expect(item, Json::Kind::kObject, "a file");
    reader.check_keys(item, {"path", "executable", "text"});
    const Json& executable = reader.required(item, "executable");
    reader.expect(executable, Json::Kind::kBool, "executable");
    files.push_back({reader.text(reader.required(item, "path"), "path"),
                     reader.text(reader.required(item, "text"), "text"), executable.boolean});
    const std::string objection = objection_to_path(files.back().path);
    if (!objection.empty())
      throw reader.error(item, "the path does not do: " + objection, files.back().path, "restore the file");
    if (!paths.insert(files.back().path).second) {
      throw reader.error(item, "a path is there twice", files.back().path, "restore the file");
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace

Answers Project::answers_for(const TemplateSet& set, const GivenAnswers& changed) const {
  return collect_answers(
      set, name, year,
      {.file = &answers, .file_name = (root / kRecordFile).string(), .drops_unknown = true, .given = changed});
}

Project find_project(const fs::path& folder) {
  std::error_code error;
  Project project;
  for (fs::path at = fs::absolute(folder); project.root.empty(); at = at.parent_path()) {
    if (fs::exists(fs::symlink_status(at / kRecordFile, error))) {
      project.root = at;
    } else if (at == at.root_path()) {
      throw base::Error(base::ErrorKind::kUsage, "this is no project of scaffold's", folder.string(),
                        "run it in a folder that `scaffold new-project` wrote");
    }
  }
  const fs::path path = project.root / kRecordFile;
  const JsonReader reader(path.string());
  const Json root = read_record(path);
  reader.check_keys(root, {"scaffold", "template", "template_version", "name", "year", "answers"});
  project.scaffold_version = reader.text(reader.required(root, "scaffold"), "scaffold");
  project.template_origin = reader.text(reader.required(root, "template"), "template");
  project.template_version = reader.text(reader.required(root, "template_version"), "template_version");
  project.name = parse_project_name(reader.text(reader.required(root, "name"), "name"));
  const Json& year = reader.required(root, "year");
  project.year = reader.text(year, "year");
  const bool is_year = project.year.size() == 4 && project.year.find_first_not_of("0123456789") == std::string::npos;
  if (!is_year) throw reader.error(year, "this is no year", project.year, "write four digits");
  project.answers = reader.required(root, "answers");
  reader.expect(project.answers, Json::Kind::kObject, "answers");
  project.rendered = read_lock(project.root / kLockFile);
  return project;
}

std::vector<RenderedFile> record_of(const TemplateSet& set, const Answers& answers,
                                    const std::vector<RenderedFile>& rendered) {
  std::string record = "{\n  \"scaffold\": " + json_quoted(SCAFFOLD_VERSION);
  record += ",\n  \"template\": " + json_quoted(set.origin);
  record += ",\n  \"template_version\": " + json_quoted(set.version);
  record += ",\n  \"name\": " + json_quoted(answers.name.given);
  record += ",\n  \"year\": " + json_quoted(answers.year) + ",\n  \"answers\": {";
  std::string separator = "\n";
  for (const Question& question : set.questions) {
    record += separator + "    " + json_quoted(question.key) + ": " + json_of(answers.values.at(question.key));
    separator = ",\n";
  }
  record += "\n  }\n}\n";
  std::string lock = "{\"files\": [";
  separator = "\n";
  for (const RenderedFile& file : rendered) {
    lock += separator + "{\"path\": " + json_quoted(file.path) +
            ", \"executable\": " + (file.is_executable ? "true" : "false") + ", \"text\": " + json_quoted(file.text) +
            "}";
    separator = ",\n";
  }
  lock += "\n]}\n";
  return {{kRecordFile, record, false}, {kLockFile, lock, false}};
}

}  // namespace generator
