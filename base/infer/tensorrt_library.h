// tensorrt_library.h: TensorRT's libraries, which are loaded when the first plan is: a program with this backend in it
// starts where there is no TensorRT, and runs plans where there is only its lean runtime.
#ifndef BASE_INFER_TENSORRT_LIBRARY_H_
#define BASE_INFER_TENSORRT_LIBRARY_H_

#include <string>

#include "base/infer/tensorrt_log.h"

namespace base {

class TensorRtLibrary {
 public:
  /// The one of this process: libnvinfer, or else libnvinfer_lean, of the major version of the headers; from
  /// $TENSORRT_ROOT/lib if that is set, and from where the system looks for libraries. Neither is a device Error.
  static const TensorRtLibrary& get();

  /// Empty if there is one; or in words why not.
  static std::string why_not();

  /// "11.1.0.106"
  const std::string& version() const { return version_; }
  static int major_version();
  /// It runs version-compatible plans, and builds none.
  bool is_lean() const { return create_builder_ == nullptr; }

  /// nvinfer1::IRuntime*, nvinfer1::IBuilder* and nvonnxparser::IParser*: the caller owns them. TensorRT's refusal, or
  /// a library that is missing, is a backend Error. There must be a GPU: see open_cuda_device().
  void* create_runtime(TensorRtLog& log) const;
  void* create_builder(TensorRtLog& log) const;
  static void* create_parser(void* network, TensorRtLog& log);

 private:
  using Create = void* (*)(void* logger, int version);

  TensorRtLibrary();

  Create create_runtime_ = nullptr;
  Create create_builder_ = nullptr;
  std::string version_;
};

}  // namespace base

#endif  // BASE_INFER_TENSORRT_LIBRARY_H_
