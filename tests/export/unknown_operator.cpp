// An operator that ONNX lacks, on a line that the test knows. Compiled with debug information in every build.
#include <ATen/core/Tensor.h>
#include <ATen/ops/i0.h>

namespace base {

at::Tensor unknown_operator(const at::Tensor& x) {
  const at::Tensor doubled = x.add(x);
  return at::i0(doubled);
}

}  // namespace base
