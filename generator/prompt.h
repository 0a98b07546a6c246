// prompt.h: asks a person.
#ifndef GENERATOR_PROMPT_H_
#define GENERATOR_PROMPT_H_

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "generator/template_set.h"

namespace generator {

/// Questions go to one stream, answers come from another. The end of the answers is an error of the usage kind.
class Prompt {
 public:
  Prompt(std::istream& input, std::ostream& output) : input_(input), output_(output) {}

  /// Asks until `objection` to the answer (what is wrong and what to do) is empty. An empty answer is the default;
  /// a number is the choice with that number.
  ///
  ///     What is to be learned?
  ///       1  image-classification  a class for each picture
  ///       2  regression            numbers from numbers
  ///     task [image-classification]:
  std::string ask(const std::string& key, const std::string& text, const std::vector<Choice>& choices,
                  const std::string& fallback, const std::function<std::string(const std::string&)>& objection);

 private:
  std::istream& input_;
  std::ostream& output_;
};

}  // namespace generator

#endif  // GENERATOR_PROMPT_H_
