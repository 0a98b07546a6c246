// tensor_view.h: between LibTorch's tensors and those of safetensors files.
#ifndef BASE_TENSOR_TENSOR_VIEW_H_
#define BASE_TENSOR_TENSOR_VIEW_H_

#include <string>

#include "base/records/safetensors.h"
#include "base/torch.h"

namespace base {

/// Shows the tensor's own bytes: it must outlive the view, and be dense, contiguous and on the CPU. A type that a
/// safetensors file cannot hold (complex numbers) is a usage Error.
TensorView view_of(std::string name, const torch::Tensor& tensor);

/// LibTorch's name of a type.
torch::ScalarType scalar_type(DType dtype);

/// A tensor of its own, copied from the view. Sizes that do not fit the bytes, or that LibTorch cannot count, are a
/// data Error.
torch::Tensor tensor_of(const TensorView& view);

}  // namespace base

#endif  // BASE_TENSOR_TENSOR_VIEW_H_
