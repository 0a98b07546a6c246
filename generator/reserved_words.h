// reserved_words.h: the words that a project or a namespace cannot be called by.
#ifndef GENERATOR_RESERVED_WORDS_H_
#define GENERATOR_RESERVED_WORDS_H_

#include <span>
#include <string_view>

namespace generator {

enum class Reserved {
  kNo,
  kKeyword,  // of C++
  kLibrary,  // a global name of the C library, which LibTorch's headers bring along: `namespace time {` is an error
  kProject,  // a namespace, CMake target or folder that a project meets
};

Reserved reserved(std::string_view word);

/// All words of a kind, sorted.
std::span<const std::string_view> reserved_words(Reserved kind);

}  // namespace generator

#endif  // GENERATOR_RESERVED_WORDS_H_
