// environment.h: where a run was made, which its settings do not say.
#ifndef BASE_TRAIN_ENVIRONMENT_H_
#define BASE_TRAIN_ENVIRONMENT_H_

#include <string>

#include "base/torch.h"

namespace base {

/// The time, the command, the machine and its processors, LibTorch's version and the GPUs, as JSON.
std::string environment_json(const torch::Device& device);

}  // namespace base

#endif  // BASE_TRAIN_ENVIRONMENT_H_
