// fake_gpu.h: a GPU and a TensorRT in memory, in the place of those behind cuda_device.h, cuda_memory.h and
// tensorrt_*.h, so that what the backend does with them is tested where there are none. Its engine gives y = 2 x.
#ifndef TESTS_INFER_FAKE_GPU_FAKE_GPU_H_
#define TESTS_INFER_FAKE_GPU_FAKE_GPU_H_

#include <string>
#include <vector>

namespace base {

struct FakeGpu {
  // what it is
  int devices = 1;
  std::string compute_capability = "8.9";
  std::string version = "11.1.0.106";
  bool is_lean = false;
  bool can_record = true;
  bool output_grows = false;
  // what happened
  int built = 0;
  int loaded = 0;    // plans
  int enqueued = 0;  // calls of the engine, recorded ones too
  int recorded = 0;
  int launched = 0;
  int shapes_set = 0;
  bool ran_code = false;
  std::vector<int> used;  // devices
};

/// The one of this process.
FakeGpu& fake_gpu();

/// What its builder makes for itself, and its engine takes.
std::string fake_plan();

}  // namespace base

#endif  // TESTS_INFER_FAKE_GPU_FAKE_GPU_H_
