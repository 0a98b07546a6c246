#include "generator/name.h"

#include <algorithm>
#include <cstddef>

#include "base/log/error.h"
#include "base/log/format.h"
#include "generator/reserved_words.h"

namespace generator {
namespace {

constexpr std::size_t kLongest = 40;
// RFC 1035 allows 63 characters, of which -20260801-123456 takes 16.
constexpr std::size_t kLongestJob = 47;

// Not those of <cctype>, which ask the locale.
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lowered(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
char raised(char c) {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

[[noreturn]] void refuse(const std::string& what, const std::string& name, const std::string& fix) {
  throw base::Error(base::ErrorKind::kUsage, what, name, fix);
}

/// What a project and a class have in common.
void check_spelling(const std::string& kind, const std::string& name) {
  if (name.empty()) refuse("the " + kind + "'s name is empty", "", "give a name such as digits");
  if (name.size() > kLongest) {
    refuse(base::format("the {}'s name has {} characters", kind, name.size()), name.substr(0, kLongest) + "...",
           base::format("take {} at most", kLongest));
  }
  for (const char c : name) {
    if (is_lower(c) || is_upper(c) || is_digit(c) || c == '_' || c == '-') continue;
    const std::string fix = "use letters, digits and single - or _, such as digits_2";
    if (c == '/')
      refuse("the " + kind + "'s name has a slash in it", name, fix + "; a folder is an argument of its own");
    if (c == '.') refuse("the " + kind + "'s name has a dot in it", name, fix);
    if (c == ' ') refuse("the " + kind + "'s name has a space in it", name, fix);
    refuse("the " + kind + "'s name has a character in it that is no letter of a to z", name, fix);
  }
  if (is_digit(name.front())) {
    refuse("the " + kind + "'s name starts with a digit", name, "start it with a letter, as C++ and clusters want it");
  }
  char before = '_';  // so that none may come first
  for (const char c : name + "_") {
    const bool is_separator = c == '_' || c == '-';
    if (is_separator && (before == '_' || before == '-')) {
      refuse("the " + kind + "'s name has a - or _ at its start or end, or two in a row", name,
             "put single ones between letters or digits");
    }
    before = c;
  }
}

/// HTTPServer2 and http-server2 become http_server2.
std::string snake_case(const std::string& name) {
  std::string snake;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '-' || name[i] == '_') {
      snake += '_';
      continue;
    }
    const bool starts_word = i > 0 && is_upper(name[i]) && name[i - 1] != '-' && name[i - 1] != '_' &&
                             (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if (starts_word) snake += '_';
    snake += lowered(name[i]);
  }
  return snake;
}

}  // namespace

ProjectName parse_project_name(const std::string& name) {
  check_spelling("project", name);
  ProjectName project{name, snake_case(name), ""};
  project.job_name = project.identifier;
  std::replace(project.job_name.begin(), project.job_name.end(), '_', '-');
  const std::string fix = "choose another, such as my_" + project.identifier;
  switch (reserved(project.identifier)) {
    case Reserved::kKeyword:
      refuse("the project's name is a word of C++", name, fix);
    case Reserved::kLibrary:
      refuse("the project's name is taken by the C library", name, fix);
    case Reserved::kProject:
      refuse("the project's name is taken by what a project is made of", name, fix);
    case Reserved::kNo:
      break;
  }
  if (project.job_name.size() > kLongestJob) {
    refuse(base::format("the job's name that follows has {} characters", project.job_name.size()), project.job_name,
           base::format("shorten the project's until it has {} at most", kLongestJob));
  }
  return project;
}

ClassName parse_class_name(const std::string& name) {
  check_spelling("class", name);
  ClassName result{"", snake_case(name)};
  bool starts_word = true;
  for (const char c : name) {
    if (c == '-' || c == '_') {
      starts_word = true;
      continue;
    }
    result.class_name += starts_word ? raised(c) : c;
    starts_word = false;
  }
  return result;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || text.size() > kLongestJob || is_digit(text.front()) || text.front() == '_') return false;
  const bool is_spelled = std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_'; });
  return is_spelled && text.find("__") == std::string_view::npos && reserved(text) == Reserved::kNo;
}

}  // namespace generator
