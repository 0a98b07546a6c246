#include "generator/catalog.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/answers.h"
#include "generator/template_text.h"
#include "generator/words.h"

namespace generator {
namespace {

using Row = std::pair<std::string, std::string>;

/// Two columns, the first as wide as it needs to be.
std::string table_of(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.first.size());
  std::string text;
  for (const auto& [left, right] : rows) {
    const std::string line = base::format("  {:<{}}  {}", left, width, right);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

const std::vector<Choice>& tasks_of(const TemplateSet& set) {
  static const std::vector<Choice> none;
  const Question* const question = set.find("task");
  return question != nullptr ? question->choices : none;
}

std::string without_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string list_tasks(const TemplateSet& set) {
  std::vector<Row> tasks;
  for (const Choice& task : tasks_of(set)) tasks.emplace_back(task.value, task.text);
  std::string text;
  if (!tasks.empty()) text += "scaffold new-project NAME --task\n" + table_of(tasks);
  std::vector<Row> additions;
  for (const Addition& addition : set.additions) additions.emplace_back(addition.kind, addition.text);
  if (!additions.empty() && !text.empty()) text += "\n";
  if (!additions.empty()) text += "scaffold add\n" + table_of(additions);
  return without_newline(text);
}

std::string show_task(const TemplateSet& set, const std::string& task) {
  const std::vector<Choice>& tasks = tasks_of(set);
  const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const Choice& one) { return one.value == task; });
  if (found == tasks.end()) {
    throw base::Error(base::ErrorKind::kUsage, "unknown task", task,
                      suggestion(task, words_of(tasks, &Choice::value), "`scaffold list` lists the tasks"));
  }
  const Answers answers = collect_answers(set, parse_project_name("demo"), "2026", {.given = {{"task", task}}});
  const Variables variables = answers.variables();
  std::vector<Row> files;
  for (const FileRule& rule : set.files) {
    if (!holds(rule.when, rule.origin, variables)) continue;
    files.emplace_back(render_text(rule.to, rule.origin, variables), rule.text);
  }
  std::string text = task + ": " + found->text + "\n\n";
  if (!found->show.empty()) text += found->show + "\n\n";
  return without_newline(text + "A project has, unless other answers are given:\n" + table_of(files));
}

}  // namespace generator
