#include "add_one.h"

namespace {

__global__ void add_one_kernel(float* numbers, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) numbers[i] += 1.0F;
}

}  // namespace

void add_one(float* numbers, int count, cudaStream_t stream) {
  constexpr int kThreads = 256;
  add_one_kernel<<<(count + kThreads - 1) / kThreads, kThreads, 0, stream>>>(numbers, count);
}
