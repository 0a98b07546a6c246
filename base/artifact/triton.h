// triton.h: how Triton Inference Server wants a model described.
#ifndef BASE_ARTIFACT_TRITON_H_
#define BASE_ARTIFACT_TRITON_H_

#include <string>

#include "base/artifact/signature.h"

namespace base {

/// The text of config.pbtxt. Where there is a batch axis (see has_batch_axis) Triton may join requests along it,
/// up to `max_batch` rows; any other model gets its shapes as they are.
std::string triton_config(const std::string& model, const Signature& signature, int max_batch = 64);

}  // namespace base

#endif  // BASE_ARTIFACT_TRITON_H_
