// add_one.h: the smallest kernel, to see that nvcc's objects link with LibTorch.
#ifndef TESTS_CUDA_ADD_ONE_H_
#define TESTS_CUDA_ADD_ONE_H_

#include <cuda_runtime_api.h>

/// Adds 1 to each of `count` numbers on the GPU.
void add_one(float* numbers, int count, cudaStream_t stream);

#endif  // TESTS_CUDA_ADD_ONE_H_
