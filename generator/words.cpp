#include "generator/words.h"

#include "base/log/suggest.h"

namespace generator {

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known,
                       const std::string& otherwise) {
  const std::string meant(base::nearest_word(word, known));
  return meant.empty() ? otherwise : "did you mean `" + meant + "`?";
}

}  // namespace generator
