#include "generator/template_tags.h"

#include <algorithm>
#include <array>

#include "base/log/format.h"

namespace generator {
namespace {

constexpr std::size_t kLongestTag = 500;
constexpr int kDeepestNesting = 20;  // parentheses, and ifs within ifs
constexpr int kDeepestLoops = 2;     // over lists of some twenty values: a third would make a file of a megabyte

struct Delimiters {
  TemplateTag::Kind kind;
  std::string_view open;
  std::string_view close;
};
constexpr std::array kDelimiters{
    Delimiters{TemplateTag::Kind::kExpression, "<@", "@>"}, Delimiters{TemplateTag::Kind::kStatement, "<%", "%>"},
    Delimiters{TemplateTag::Kind::kComment, "<#", "#>"}, Delimiters{TemplateTag::Kind::kLine, "@@@@", "\n"}};

/// Reads the tags one after the other, and keeps count of what is open.
class TagReader {
 public:
  TagReader(std::string_view text, const Origin& origin) : text_(text), origin_(origin) {}

  std::vector<TemplateTag> read() {
    std::vector<TemplateTag> tags;
    for (std::size_t at = 0; at < text_.size();) {
      at = text_.find_first_of("<@", at);
      const Delimiters* const delimiters = at < text_.size() ? delimiters_at(at) : nullptr;
      if (delimiters == nullptr) {
        if (at != std::string_view::npos) ++at;
        continue;
      }
      const std::size_t end = end_of(at, *delimiters);
      tags.push_back({delimiters->kind, at, end});
      if (delimiters->kind == TemplateTag::Kind::kStatement || delimiters->kind == TemplateTag::Kind::kLine) {
        count(at, at + delimiters->open.size(), end);
      }
      at = end;
    }
    return tags;
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what, const std::string& value,
                         const std::string& fix) const {
    throw template_error(text_, at, origin_, what, value, fix);
  }

  const Delimiters* delimiters_at(std::size_t at) const {
    for (const Delimiters& one : kDelimiters) {
      const bool is_placed = one.kind != TemplateTag::Kind::kLine || at == 0 || text_[at - 1] == '\n';
      if (is_placed && text_.substr(at).starts_with(one.open)) return &one;
    }
    return nullptr;
  }

  /// Past the closing delimiter, which does not count within a text in quotes.
  std::size_t end_of(std::size_t start, const Delimiters& delimiters) const {
    if (delimiters.kind == TemplateTag::Kind::kComment) {
      const std::size_t close = text_.find(delimiters.close, start + delimiters.open.size());
      if (close == std::string_view::npos) fail(start, "a comment that is not closed", "", "end it with #>");
      return close + delimiters.close.size();
    }
    bool is_quoted = false;
    bool is_escaped = false;
    int depth = 0;
    std::size_t at = start + delimiters.open.size();
    for (; at < text_.size(); ++at) {
      if (!is_quoted && text_.substr(at).starts_with(delimiters.close)) return at + delimiters.close.size();
      if (at - start > kLongestTag) break;
      const char c = text_[at];
      if (is_quoted) {
        if (c == '"' && !is_escaped) is_quoted = false;
        is_escaped = c == '\\' && !is_escaped;
        continue;
      }
      is_quoted = c == '"';
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      if (depth > kDeepestNesting)
        fail(at, "parentheses nested too deeply", "", base::format("{} at most", kDeepestNesting));
      if (c == '|') fail(at, "the pipe is not used in templates", "|", "call the function: upper(name)");
    }
    if (delimiters.kind == TemplateTag::Kind::kLine && at == text_.size()) return at;
    fail(start, "a tag that is not closed", std::string(text_.substr(start, 20)),
         base::format("end it with {}, within {} characters", delimiters.close, kLongestTag));
  }

  void count(std::size_t start, std::size_t body, std::size_t end) {
    std::vector<std::string> words(1);  // the first two of the statement
    for (const char c : text_.substr(body, end - body)) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      if (is_letter) words.back() += c;
      if (!is_letter && !words.back().empty()) words.emplace_back();
      if (words.size() == 3) break;
    }
    words.resize(2);
    if (words[0] == "if" || words[0] == "for") {
      open_.push_back({words[0] == "for", 1});
    } else if (words[0] == "else") {
      if (!open_.empty() && words[1] == "if") ++open_.back().levels;  // inja nests them
    } else if (words[0] == "endif" || words[0] == "endfor") {
      if (!open_.empty()) open_.pop_back();
    } else {
      fail(start, "unknown statement", words[0], "templates know if, else, endif, for and endfor");
    }
    int levels = 0;
    int loops = 0;
    for (const Open& one : open_) {
      levels += one.levels;
      loops += one.is_loop ? 1 : 0;
    }
    if (levels > kDeepestNesting)
      fail(start, "statements nested too deeply", "", base::format("{} at most", kDeepestNesting));
    if (loops > kDeepestLoops) fail(start, "loops nested too deeply", "", base::format("{} at most", kDeepestLoops));
  }

  struct Open {
    bool is_loop = false;
    int levels = 0;
  };

  const std::string_view text_;
  const Origin& origin_;
  std::vector<Open> open_;
};

/// The tags from `first` on that fill a line alone; empty if something else stands in it.
std::size_t tags_filling_line(std::string_view text, const std::vector<TemplateTag>& tags, std::size_t first) {
  const auto skip_blanks = [&](std::size_t at) { return std::min(text.find_first_not_of(" \t", at), text.size()); };
  const std::size_t line = text.rfind('\n', tags[first].start);
  if (skip_blanks(line == std::string_view::npos ? 0 : line + 1) != tags[first].start) return 0;
  for (std::size_t i = first; i < tags.size(); ++i) {
    const bool writes = tags[i].kind == TemplateTag::Kind::kExpression || tags[i].kind == TemplateTag::Kind::kLine;
    if (writes || text[tags[i].end - 3] == '-') return 0;  // -%> is inja's own way to trim
    const std::size_t after = skip_blanks(tags[i].end);
    if (after == text.size() || text[after] == '\n') return i + 1 - first;
    if (i + 1 == tags.size() || tags[i + 1].start != after) return 0;
  }
  return 0;
}

}  // namespace

base::Error template_error(std::string_view text, std::size_t at, const Origin& origin, const std::string& what,
                           const std::string& value, const std::string& fix) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = origin.line + std::count(before.begin(), before.end(), '\n');
  return {base::ErrorKind::kConfig, base::format("{}:{}: {}", origin.file, line, what), value, fix};
}

std::vector<TemplateTag> find_tags(std::string_view text, const Origin& origin) {
  return TagReader(text, origin).read();
}

std::string without_tag_lines(std::string_view text, const std::vector<TemplateTag>& tags) {
  std::string result;
  result.reserve(text.size());
  std::size_t done = 0;
  for (std::size_t first = 0; first < tags.size(); ++first) {
    const std::size_t count = tags_filling_line(text, tags, first);
    if (count == 0) continue;
    // "  <% if a %>  \n" becomes "<% if a \n%>"
    const std::size_t line = text.rfind('\n', tags[first].start);
    result += text.substr(done, (line == std::string_view::npos ? 0 : line + 1) - done);
    const TemplateTag& last = tags[first + count - 1];
    for (std::size_t i = first; i + 1 < first + count; ++i) {
      result += text.substr(tags[i].start, tags[i].end - tags[i].start);
    }
    result += text.substr(last.start, last.end - 2 - last.start);
    const std::size_t newline = std::min(text.find('\n', last.end), text.size());
    if (newline < text.size()) result += '\n';
    result += text.substr(last.end - 2, 2);
    done = std::min(newline + 1, text.size());
    first += count - 1;
  }
  result += text.substr(done);
  return result;
}

}  // namespace generator
