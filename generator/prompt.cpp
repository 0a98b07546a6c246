#include "generator/prompt.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/text.h"

namespace generator {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(" \t\r") + 1 - start);
}

/// "2" or "1,3" as the values of those choices; what is no number stays.
std::string without_numbers(const std::string& answer, const std::vector<Choice>& choices) {
  std::string result;
  for (std::size_t start = 0; start <= answer.size();) {
    const std::size_t end = std::min(answer.find(',', start), answer.size());
    std::string word = trimmed(answer.substr(start, end - start));
    std::size_t number = 0;
    const auto [after, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = failure == std::errc{} && after == word.data() + word.size();
    if (is_number && number >= 1 && number <= choices.size()) word = choices[number - 1].value;
    result += (start > 0 ? "," : "") + word;
    start = end + 1;
  }
  return result;
}

}  // namespace

std::string Prompt::ask(const std::string& key, const std::string& text, const std::vector<Choice>& choices,
                        const std::string& fallback, const std::function<std::string(const std::string&)>& objection) {
  output_ << base::visible_line(text) << '\n';
  std::size_t width = 0;
  for (const Choice& choice : choices) width = std::max(width, choice.value.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::string line = base::format("{:>3}  {:<{}}  {}", i + 1, choices[i].value, width, choices[i].text);
    output_ << base::visible_line(line).substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
  while (true) {
    output_ << base::visible_line(base::format("{} [{}]: ", key, fallback)) << std::flush;
    std::string answer;
    if (!std::getline(input_, answer)) {
      throw base::Error(base::ErrorKind::kUsage, "the answers ended before the questions", key,
                        "answer all of them, or give --defaults");
    }
    answer = trimmed(answer);
    if (answer.empty()) answer = fallback;
    if (!choices.empty()) answer = without_numbers(answer, choices);
    const std::string complaint = objection(answer);
    if (complaint.empty()) return answer;
    output_ << "  " << base::visible_line(complaint) << '\n';
  }
}

}  // namespace generator
