// line_reader.h: the lines of a file or pipe, as they come.
#ifndef BASE_INFER_LINE_READER_H_
#define BASE_INFER_LINE_READER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace base {

/// Lines end with LF or CRLF, the last one perhaps with nothing. One of more than 1 GB, or a file that cannot be read,
/// is a data Error.
class LineReader {
 public:
  /// "-" is standard input.
  explicit LineReader(const std::filesystem::path& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next one, or nothing at the end; it holds until the next call.
  std::optional<std::string_view> next();
  /// Whether there is one at once, or the end.
  bool is_ready();
  /// Ends a next() that waits, from any thread.
  void cancel();

  /// "questions.jsonl:17", of the line that was returned last.
  std::string where() const;

 private:
  bool has_line();
  bool fill(bool wait);

  std::string name_;
  int descriptor_ = -1;
  std::array<int, 2> wake_ = {-1, -1};  // a pipe: what is written to it ends a wait
  std::string buffer_;
  std::size_t begin_ = 0;     // of what was not returned yet
  std::size_t searched_ = 0;  // up to here there is no end of a line
  std::int64_t line_ = 0;
  bool at_end_ = false;
  std::atomic<bool> is_cancelled_ = false;
};

}  // namespace base

#endif  // BASE_INFER_LINE_READER_H_
