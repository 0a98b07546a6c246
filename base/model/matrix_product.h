// matrix_product.h: products of matrices by whichever of LibTorch's two libraries is the faster one.
#ifndef BASE_MODEL_MATRIX_PRODUCT_H_
#define BASE_MODEL_MATRIX_PRODUCT_H_

#include "base/torch.h"

namespace base {

/// x [n, k] times the transpose of `weight` [m, k]: [n, m], with the bias [m] if it is defined, and through a ReLU if
/// that is wanted. Nothing is noted for a backward pass.
///
/// LibTorch asks MKL, which on AMD's processors leaves half the width of AVX-512 unused. oneDNN, which LibTorch has for
/// convolutions, is up to twice as fast there, but for small matrices, since each call of it takes longer to begin.
torch::Tensor times_transposed(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias = {},
                               bool has_relu = false);

}  // namespace base

#endif  // BASE_MODEL_MATRIX_PRODUCT_H_
