#include "base/infer/tensorrt_log.h"

#include <NvInferRuntime.h>

#include <mutex>
#include <string_view>
#include <utility>

#include "base/log/log.h"

namespace base {

class TensorRtLog::Listener final : public nvinfer1::ILogger {
 public:
  // Called from TensorRT's threads, and through code that knows no exceptions.
  void log(Severity severity, const nvinfer1::AsciiChar* text) noexcept override {
    try {
      if (severity <= Severity::kERROR) keep(text);
      if (severity == Severity::kWARNING) {
        log::warn("TensorRT: {}", text);
      } else {
        log::debug("TensorRT: {}", text);
      }
    } catch (...) {  // a message that finds no memory is lost
    }
  }

  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(errors_, {});
  }

 private:
  static constexpr std::size_t kLongest = 4000;

  void keep(std::string_view text) {
    const std::lock_guard lock(mutex_);
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    if (errors_.find(text) != std::string::npos || errors_.size() > kLongest) return;
    errors_.append(errors_.empty() ? "" : "; ").append(text);
  }

  std::mutex mutex_;
  std::string errors_;
};

TensorRtLog::TensorRtLog() : listener_(std::make_unique<Listener>()) {}
TensorRtLog::~TensorRtLog() = default;

void* TensorRtLog::handle() const {
  return static_cast<nvinfer1::ILogger*>(listener_.get());
}

std::string TensorRtLog::take_errors() {
  return listener_->take();
}

Error TensorRtLog::error(const std::string& what, const std::string& value, const std::string& fix) {
  const std::string errors = take_errors();
  return {ErrorKind::kBackend, what, errors.empty() ? value : value + (value.empty() ? "" : ": ") + errors, fix};
}

}  // namespace base
