// tensorrt_log.h: what TensorRT says, in our log and in our errors.
#ifndef BASE_INFER_TENSORRT_LOG_H_
#define BASE_INFER_TENSORRT_LOG_H_

#include <memory>
#include <string>

#include "base/log/error.h"

namespace base {

/// Takes TensorRT's messages: warnings go to the log, all others to its debug level, and errors are kept for the Error
/// that follows from them. Must outlive everything that was made with it. Thread-safe.
class TensorRtLog {
 public:
  TensorRtLog();
  ~TensorRtLog();
  TensorRtLog(const TensorRtLog&) = delete;
  TensorRtLog& operator=(const TensorRtLog&) = delete;

  /// A nvinfer1::ILogger*, for TensorRT's entry points.
  void* handle() const;

  /// TensorRT's error messages since the last call of this; empty if there are none.
  std::string take_errors();
  /// A backend Error with those messages, after `value`.
  Error error(const std::string& what, const std::string& value, const std::string& fix);

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace base

#endif  // BASE_INFER_TENSORRT_LOG_H_
