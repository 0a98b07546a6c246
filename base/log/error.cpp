#include "base/log/error.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "base/log/log.h"

namespace base {
namespace {

// Small numbers that no shell and no signal uses (those start at 126). 75 stays free for "preempted, start me again".
constexpr std::array kErrorKinds{
    ErrorKindInfo{ErrorKind::kInternal, "internal", 1, "a defect of the program itself"},
    ErrorKindInfo{ErrorKind::kDevice, "device", 2, "the machine lacks what was asked for, such as a GPU"},
    ErrorKindInfo{ErrorKind::kUsage, "usage", 3, "the command line is wrong, or code asks for what is not there"},
    ErrorKindInfo{ErrorKind::kConfig, "config", 4, "a settings file or an environment variable is wrong"},
    ErrorKindInfo{ErrorKind::kData, "data", 5, "a data file is missing, damaged or of another format"},
    ErrorKindInfo{ErrorKind::kCheckpoint, "checkpoint", 6, "a checkpoint cannot be written, read or does not fit"},
    ErrorKindInfo{ErrorKind::kDistributed, "distributed", 7, "the ranks of a run cannot meet or do not agree"},
    ErrorKindInfo{ErrorKind::kExport, "export", 8, "a model cannot be exported, or its export differs from it"},
    ErrorKindInfo{ErrorKind::kBackend, "backend", 9, "an inference engine refused a model or failed to run it"},
    ErrorKindInfo{ErrorKind::kTraining, "training", 10,
                  "the training itself went astray: a loss that is not a number, say"},
};

constexpr const char* kReport =
    "this is a defect of the program: please report it, with this text and the command line";

}  // namespace

std::span<const ErrorKindInfo> error_kinds() {
  return kErrorKinds;
}

const ErrorKindInfo& info(ErrorKind kind) {
  return kErrorKinds.at(static_cast<std::size_t>(kind));
}

Error::Error(ErrorKind kind, const std::string& what, const std::string& value, std::string fix)
    : kind_(kind),
      problem_(value.empty() ? what : what + ": " + value),
      fix_(std::move(fix)),
      message_(std::string(info(kind).name) + " error: " + problem_) {
  if (!fix_.empty()) message_ += "\n  fix: " + fix_;
  if (kind == ErrorKind::kInternal) message_ += std::string("\n  fix: ") + kReport;
}

Error Error::with_place(const std::string& place) const {
  Error error = *this;
  error.message_ += "\n  in: " + place;
  return error;
}

int run_main(const std::function<int()>& body) noexcept {
  try {
    try {
      return body();
    } catch (const Error& error) {
      log::report(error);
      return error.exit_code();
    } catch (const std::exception& error) {
      const std::string_view text = error.what();
      // LibTorch appends a stack trace to its messages, which says nothing to a user.
      log::report(
          Error(ErrorKind::kInternal, std::string(text.substr(0, text.find("\nException raised from"))), "", ""));
    } catch (...) {
      log::report(Error(ErrorKind::kInternal, "an exception of unknown type", "", ""));
    }
  } catch (...) {  // no memory left even for the message
    static_cast<void>(std::fputs("internal error: out of memory\n", stderr));
  }
  return info(ErrorKind::kInternal).exit_code;
}

}  // namespace base
