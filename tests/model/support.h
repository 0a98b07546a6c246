// support.h: what the tests of base/model share.
#ifndef TESTS_MODEL_SUPPORT_H_
#define TESTS_MODEL_SUPPORT_H_

#include <cstdint>

#include "base/torch.h"
#include "tests/tensor/message_of.h"

namespace base {

inline std::int64_t parameter_count(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace base

#endif  // TESTS_MODEL_SUPPORT_H_
