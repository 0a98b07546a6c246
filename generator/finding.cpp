#include "generator/finding.h"

#include <algorithm>
#include <string_view>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/text.h"

namespace generator {
namespace {

using State = Finding::State;

bool is_lacking(const Finding& finding) {
  return finding.is_required && finding.state != State::kFound;
}

std::string found_word(const Finding& finding) {
  if (finding.state == State::kMissing) return "missing";
  return finding.version.empty() ? "broken" : base::visible_line(finding.version);
}

base::Color color_of(const Finding& finding) {
  if (finding.state == State::kFound) return base::Color::kGreen;
  return finding.is_required ? base::Color::kRed : base::Color::kYellow;
}

/// Where it is, then what is wrong with it, then what to do.
std::string rest_of(const Finding& finding) {
  std::string rest = finding.path;
  if (finding.state == State::kFound) return rest;
  for (const std::string& part : {finding.problem, finding.fix}) {
    if (!part.empty()) rest += (rest.empty() ? "" : "; ") + part;
  }
  return rest;
}

std::string padded(const std::string& text, int columns) {
  const int missing = columns - base::text_columns(text);
  return missing > 0 ? text + std::string(static_cast<std::size_t>(missing), ' ') : text;
}

ReportLine summary(const std::vector<Finding>& findings) {
  std::string names;
  for (const Finding& finding : findings) {
    if (is_lacking(finding)) names += (names.empty() ? "" : ", ") + finding.what;
  }
  if (names.empty()) return {"", "ready", base::Color::kGreen, ": everything required is here"};
  return {"", "not ready", base::Color::kRed, ": this machine lacks " + names};
}

}  // namespace

std::vector<ReportLine> report(const std::vector<Finding>& findings) {
  int what_columns = 0;
  int found_columns = 0;
  for (const Finding& finding : findings) {
    what_columns = std::max(what_columns, base::text_columns(finding.what));
    found_columns = std::max(found_columns, base::text_columns(found_word(finding)));
  }
  std::vector<ReportLine> lines;
  for (const bool required : {true, false}) {
    lines.push_back({required ? "required" : "optional", "", base::Color::kNone, ""});
    for (const Finding& finding : findings) {
      if (finding.is_required != required) continue;
      const std::string word = found_word(finding);
      const std::string gap = padded("", found_columns - base::text_columns(word) + 2);
      lines.push_back(
          {"  " + padded(finding.what, what_columns) + "  ", word, color_of(finding), gap + rest_of(finding)});
    }
  }
  lines.push_back(summary(findings));
  return lines;
}

int exit_code(const std::vector<Finding>& findings) {
  const bool lacks = std::any_of(findings.begin(), findings.end(), is_lacking);
  return lacks ? base::info(base::ErrorKind::kDevice).exit_code : 0;
}

}  // namespace generator
