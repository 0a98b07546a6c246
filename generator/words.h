// words.h: lists of words for people, and the word that was meant by one that is not known.
#ifndef GENERATOR_WORDS_H_
#define GENERATOR_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

namespace generator {

/// "did you mean `task`?" where a known word is near, else the other text.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known, const std::string& otherwise);

/// "a, b, c"
template <typename List>
std::string joined(const List& words, std::string_view separator = ", ") {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

/// The values of choices, the keys of questions and the like, one of each.
template <typename List, typename Member>
std::vector<std::string_view> words_of(const List& list, Member member) {
  std::vector<std::string_view> words;
  words.reserve(list.size());
  for (const auto& one : list) words.push_back(one.*member);
  return words;
}

}  // namespace generator

#endif  // GENERATOR_WORDS_H_
