// tensorrt_settings.h: TensorRtOptions as flags and as the table [tensorrt] of a settings file.
#ifndef BASE_INFER_TENSORRT_SETTINGS_H_
#define BASE_INFER_TENSORRT_SETTINGS_H_

#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/infer/tensorrt_options.h"

namespace base {

struct TensorRtSettings {
  TensorRtOptions values;
  std::vector<std::string> axes;
  int workspace_mb = 0;

  void declare(Knobs& knobs);
  /// With the axes and the workspace; a range that makes no sense is a usage Error.
  TensorRtOptions options() const;
};

}  // namespace base

#endif  // BASE_INFER_TENSORRT_SETTINGS_H_
