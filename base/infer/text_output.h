// text_output.h: text to a file or to standard output.
#ifndef BASE_INFER_TEXT_OUTPUT_H_
#define BASE_INFER_TEXT_OUTPUT_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/records/safetensors.h"

namespace base {

/// Gathers what is written and hands it on in large pieces. A disk that is full or the like is a data Error.
///
/// A file has its name only once it is whole: until close() its text is in FILE.partial, and stays there if close() is
/// never called. Pipes and devices are written to as they are.
class TextOutput {
 public:
  /// "-" is standard output.
  explicit TextOutput(const std::filesystem::path& path);
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  void write(std::string_view text);
  void flush();
  void close();

 private:
  std::string name_;
  std::filesystem::path path_;     // links followed
  std::filesystem::path partial_;  // empty: written to directly
  int descriptor_ = -1;
  std::string gathered_;
};

/// How a text writes what has no digits.
struct SpecialNumbers {
  std::string_view nan;
  std::string_view infinity;
  std::string_view minus_infinity;
};

/// Adds element `index` to the text, in as few digits as it takes to read the same number.
void append_number(std::string& text, const TensorView& view, std::size_t index, const SpecialNumbers& special);

}  // namespace base

#endif  // BASE_INFER_TEXT_OUTPUT_H_
