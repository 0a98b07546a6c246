#include "base/config/toml_guard.h"

#include <algorithm>
#include <vector>

namespace base::config {
namespace {

// Whether a name follows the [ or [[ at the start of the text. Some other brackets are left to toml++, which reports
// them.
bool has_table_name(std::string_view text) {
  const bool is_list = text.starts_with("[[");
  text.remove_prefix(is_list ? 2 : 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  constexpr std::string_view kGood = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-\"']";
  return text.empty() || kGood.find(text[0]) != std::string_view::npos || (text[0] == '[' && !is_list);
}

// Follows the text one string, comment or character at a time.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<TomlFlaw> run() {
    while (!text_.empty()) {
      const std::size_t length = opaque_length(text_);
      const std::string_view flaw = length == 0 ? take(text_[0]) : "";
      if (!flaw.empty()) return TomlFlaw{line_, flaw};
      starts_line_ = text_[0] == '\n' || (starts_line_ && (text_[0] == ' ' || text_[0] == '\t'));
      const std::string_view taken = text_.substr(0, std::max<std::size_t>(length, 1));
      line_ += static_cast<std::size_t>(std::ranges::count(taken, '\n'));
      text_.remove_prefix(taken.size());
    }
    return std::nullopt;
  }

 private:
  // A list or an inline table, or the line that all of them are in.
  struct Level {
    char closing;
    std::size_t dots = 0;  // of the key that is being read
  };

  std::string_view take(char c) {
    const bool in_line = levels_.size() == 1;
    if (static_cast<unsigned char>(c) >= 0x80) return "a character that needs quotes around it";
    if (c == '[' && in_line && starts_line_ && !has_table_name(text_)) return "a table's name must follow [";
    if (c == '.') {
      ++levels_.back().dots;
      ++depth_;
    } else if (c == '[' || c == '{') {
      levels_.push_back({c == '[' ? ']' : '}'});
      ++depth_;
    } else if (c == ']' || c == '}') {
      if (levels_.back().closing != c) return "a bracket that closes nothing";
      end_key();
      levels_.pop_back();
      --depth_;
    } else if (c == ',' || (c == '\n' && in_line)) {
      end_key();
    }
    return depth_ > kDeepest ? "it nests more than 100 deep" : "";
  }

  void end_key() {
    depth_ -= levels_.back().dots;
    levels_.back().dots = 0;
  }

  std::string_view text_;
  std::size_t line_ = 1;
  bool starts_line_ = true;
  std::size_t depth_ = 0;
  std::vector<Level> levels_{{'\0'}};
};

}  // namespace

std::size_t opaque_length(std::string_view text) {
  if (text[0] == '#') return std::min(text.find('\n'), text.size());
  if (text[0] != '"' && text[0] != '\'') return 0;
  const bool escapes = text[0] == '"';
  const bool multi_line = text.size() >= 3 && text[1] == text[0] && text[2] == text[0];
  const std::string_view delimiter = text.substr(0, multi_line ? 3 : 1);
  for (std::size_t i = delimiter.size(); i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (text.substr(i).starts_with(delimiter)) {
      i += delimiter.size();
      // Up to two quotes may stand right before the closing three.
      for (int extra = 0; multi_line && extra < 2 && i < text.size() && text[i] == text[0]; ++extra) ++i;
      return i;
    } else if (!multi_line && text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

std::optional<TomlFlaw> find_flaw(std::string_view toml) {
  return Scanner(toml).run();
}

}  // namespace base::config
