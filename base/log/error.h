// error.h: the one exception of the runtime. It says what is wrong, with which value, and what to do about it; its kind
// decides the exit code. Thrown anywhere, caught only in main (see run_main).
#ifndef BASE_LOG_ERROR_H_
#define BASE_LOG_ERROR_H_

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace base {

enum class ErrorKind {
  kInternal,
  kDevice,
  kUsage,
  kConfig,
  kData,
  kCheckpoint,
  kDistributed,
  kExport,
  kBackend,
  kTraining
};

/// One row of the table of errors: the word users see, the process's exit code, and what it stands for.
struct ErrorKindInfo {
  ErrorKind kind;
  std::string_view name;
  int exit_code;
  std::string_view meaning;
};

/// The table of errors, in the order of ErrorKind. docs/errors.md is written from it.
std::span<const ErrorKindInfo> error_kinds();
const ErrorKindInfo& info(ErrorKind kind);

/// `throw Error(ErrorKind::kData, "the file is not an IDX file", path, "give a file that starts with 00 00 08")` prints
///
///     data error: the file is not an IDX file: /data/labels.gz
///       fix: give a file that starts with 00 00 08
///
/// An empty value or fix is left out. The internal kind asks by itself to be reported.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, const std::string& what, const std::string& value, std::string fix);

  /// The same error with one line more, "  in: example 17 (labels.csv:18)", for who knows better where it happened.
  Error with_place(const std::string& place) const;

  ErrorKind kind() const { return kind_; }
  int exit_code() const { return info(kind_).exit_code; }
  /// The whole message, as in the example above; no newline at its end.
  const char* what() const noexcept override { return message_.c_str(); }
  /// Its parts, for who says it in other words: "the file is not an IDX file: /data/labels.gz", and what to do about
  /// it.
  const std::string& problem() const { return problem_; }
  const std::string& fix() const { return fix_; }

 private:
  ErrorKind kind_;
  std::string problem_;
  std::string fix_;
  std::string message_;
};

/// Runs the body of a main(): an Error is written to standard error and the log file and becomes its exit code, any
/// other exception counts as internal. Nothing is thrown past it.
int run_main(const std::function<int()>& body) noexcept;

}  // namespace base

#endif  // BASE_LOG_ERROR_H_
